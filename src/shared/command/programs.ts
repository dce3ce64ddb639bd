import { ASSIGNMENT, type CommandWord, type Problem } from './expand.ts'
import type { CommandReading } from './reading.ts'

const MODULE = 'vllm.entrypoints.openai.api_server'
const SUPPORTED = 'Supported: [NAME=value …] vllm serve MODEL --flags, or python -m vllm.entrypoints.openai.api_server --flags.'

const nameOf = (program: string) => program.split('/').at(-1) ?? program

function programLength([program = '', second, third]: readonly string[]): number {
  const name = nameOf(program)
  if (second === 'serve' && (name === 'vllm' || program.includes('/'))) return 2
  return /^python[\d.]*$/.test(name) && second === '-m' && third === MODULE ? 3 : 0
}

export const isProgramAt = (words: readonly string[], at: number): boolean => programLength(words.slice(at, at + 3)) > 0

/** Say how a shell is to run a command that the engine runs in its own way anyhow. */
const TAKEN_OFF = /^(?:nohup|exec|setsid|time|command)$/
const CONTAINER = /^(?:docker|podman|nerdctl|apptainer|singularity|enroot)$/
const BY_FOLDER = /^(?:uv|poetry|pixi|pdm|hatch|rye|pipenv)$/
const CONDA = /^(?:conda|mamba|micromamba)$/

interface Head {
  assignments: CommandWord[]
  program?: NonNullable<CommandReading['program']>
  rest: CommandWord[]
  environment?: string
  notes: string[]
  problem?: Problem
  leaveOut?: { start: number; end: number }
}

/** Everything in front of the arguments: variables, the program, and what other programs it is run by. */
export function readWrappers(words: CommandWord[]): Head {
  const values = words.map(({ value }) => value)
  const at = values.findIndex((_value, index) => isProgramAt(values, index))
  const isOther = (word: CommandWord) => !ASSIGNMENT.test(word.value)
  if (at < 0) {
    const end = words.findIndex((word) => isOther(word) && word.value !== 'env' && !TAKEN_OFF.test(word.value))
    const front = end < 0 ? words : words.slice(0, end)
    const rest = words.slice(front.length)
    return { assignments: front.filter((word) => !isOther(word)), rest, notes: [], problem: noProgram(rest) }
  }
  const length = programLength(values.slice(at, at + 3))
  const front = words.slice(0, at)
  const [first, last] = [words[at], words[at + length - 1]]
  const head: Head = { assignments: front.filter((word) => !isOther(word)), rest: words.slice(at + length), notes: [] }
  if (first !== undefined && last !== undefined) {
    head.program = {
      words: values.slice(at, at + length),
      start: first.start,
      end: last.end,
      kind: length === 2 ? 'vllm' : 'module',
    }
  }
  readFront(head, front.filter(isOther), first?.start ?? 0)
  return head
}

function readFront(head: Head, front: readonly CommandWord[], programStart: number): void {
  const [first, second] = front
  if (first === undefined) return
  const name = nameOf(first.value)
  if (name === 'env' && second?.value.startsWith('-') === true) {
    head.problem = { cause: `env ${second.value} is not supported in a launch command`, nextStep: SUPPORTED }
  } else if (name === 'env') readFront(head, front.slice(1), programStart)
  else if (TAKEN_OFF.test(name)) {
    head.notes.push(`${name} was taken off: the server outlives this program anyway, and its log is kept`)
    readFront(head, front.slice(second?.value.startsWith('-') === true ? 2 : 1), programStart)
  } else {
    const chosen =
      CONDA.test(name) && second?.value === 'run' ? condaEnvironment(front.slice(2).map(({ value }) => value)) : undefined
    if (chosen !== undefined) {
      head.environment = chosen
      head.notes.push(`the environment is ${chosen}, from ${name} run in the text`)
    } else {
      head.problem = wrapped(name)
      head.leaveOut = { start: first.start, end: programStart }
    }
  }
}

/** `-n NAME` or `-p FOLDER`; undefined for any other option that decides something. */
function condaEnvironment(words: readonly string[]): string | undefined {
  const name = words.findIndex((word) => word === '-n' || word === '--name')
  const folder = words.findIndex((word) => word === '-p' || word === '--prefix')
  if (name >= 0) return words[name + 1]
  return folder >= 0 && words[folder + 1] !== undefined ? `${words[folder + 1] ?? ''}/bin/vllm` : undefined
}

const CHOOSE = 'Choose the environment of the host instead (--env, or Environment in the form)'

function wrapped(name: string): Problem {
  if (CONTAINER.test(name)) return container(name)
  if (BY_FOLDER.test(name)) {
    return {
      cause: `${name} run takes the environment of the folder it is run in, and there is none here`,
      nextStep: `${CHOOSE}, and leave ${name} run out.`,
    }
  }
  if (CONDA.test(name))
    return { cause: `${name} run names no environment here`, nextStep: `${CHOOSE}, and leave ${name} run out.` }
  if (name === 'sudo' || name === 'doas') {
    return {
      cause: `${name} is not carried out: a server runs as the account that logs in`,
      nextStep: `Leave ${name} out, or add the host with the other account.`,
    }
  }
  return { cause: `${name} in front of vllm serve is not carried out`, nextStep: `Leave ${name} out. ${SUPPORTED}` }
}

const container = (name: string): Problem => ({
  cause: `a launch in a container (${name}) is not supported yet`,
  nextStep: `${CHOOSE}, and write: vllm serve MODEL --flags.`,
})

function noProgram(rest: readonly CommandWord[]): Problem {
  const [first, second] = rest
  if (first === undefined) return { cause: 'there is no command to launch', nextStep: SUPPORTED }
  const name = nameOf(first.value)
  const runtime = rest.slice(0, 3).find(({ value }) => CONTAINER.test(nameOf(value)))
  if (runtime !== undefined) return container(nameOf(runtime.value))
  if (/^(?:ba|z|da)?sh$/.test(name) && second !== undefined) {
    return {
      cause: `${name} … is not a command that starts a vLLM server`,
      nextStep: `Give what ${name} is to run itself, without its quotes.`,
    }
  }
  return { cause: `"${name}${second === undefined ? '' : ' …'}" is not a command that starts a vLLM server`, nextStep: SUPPORTED }
}
