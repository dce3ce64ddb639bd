import { SUBJECTS } from './words.ts'

const FORMS: readonly ((subject: string) => string)[] = [
  (s) =>
    `Write an extremely detailed encyclopedia article on the whole history of ${s}, from its first traces to the present day. Treat every period, every region and every important person at length, explain each idea with examples, and never summarize.`,
  (s) =>
    `Write a very long and thorough textbook on ${s}, chapter by chapter, for readers who know nothing about it. Explain every term where it first comes up, work through many different examples in full, and never shorten anything.`,
  (s) =>
    `Write a long novel about a family who lived by ${s} for two hundred years. Tell every generation's story in its own chapters with places, dates and conversations, do not skip over any year, and never repeat yourself.`,
  (s) =>
    `Write a complete course of lectures on ${s}, word for word as they would be spoken in a large hall. Begin with the oldest sources, compare the schools of thought in detail, answer questions from the audience, and never summarize.`,
]

/** A task that keeps a model writing. The first is about mathematics, as published; different numbers give different tasks. */
export function taskText(number: number): string {
  const form = FORMS[number % FORMS.length] as (typeof FORMS)[number]
  const round = Math.floor(number / FORMS.length)
  const subject = SUBJECTS[round % SUBJECTS.length] as string
  const beyond = Math.floor(round / SUBJECTS.length)
  return form(subject) + (beyond === 0 ? '' : ` This is volume ${beyond + 1}.`)
}

/** For contexts so short that a whole task doesn't fit. */
export const SHORT_TASK = 'Write a very long story.'
