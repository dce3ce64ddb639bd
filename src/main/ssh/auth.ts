import type { AnyAuthMethod, AuthenticationType, NextAuthHandler, Prompt } from 'ssh2'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { WhileOpen } from './connection-life.ts'
import { type Hop, nameOf } from './hops.ts'
import { findIdentities } from './identities.ts'
import type { SecretMemory } from './secrets.ts'

/** Authentication at one hop: which method comes next, and what happened, for the error. */
export interface Authenticator {
  handler(methodsLeft: AuthenticationType[] | null, partial: boolean | null, next: NextAuthHandler): void
  /** The host has accepted: what the person typed is kept for this process. */
  accepted(): void
  /** Something went wrong with one key; the next one is tried. */
  problem(text: string): void
  error(detail?: string): SpeedgridError
}

interface Candidate {
  method: AuthenticationType
  description: string
  make(): Promise<AnyAuthMethod | undefined>
}

const SECRET_TRIES = 3

interface AuthDeps {
  homeDir: string
  env: Record<string, string | undefined>
  secrets: SecretMemory
  whileOpen: WhileOpen
}

/** Order: agent, key files, keyboard-interactive, password; only what the host still offers. */
export function createAuthenticator(hop: Hop, deps: AuthDeps): Authenticator {
  const username = hop.target.user
  const tried: string[] = []
  const problems: string[] = []
  const asker = createAsker(hop, deps.secrets, deps.whileOpen)
  let offered: readonly string[] = []
  let candidates: Candidate[] | undefined

  const gather = async (): Promise<Candidate[]> => {
    const identities = await findIdentities(hop, deps, (text) => problems.push(text))
    const keys = identities.map(({ description, agent }): Candidate => {
      const method: AnyAuthMethod = { type: 'agent', username, agent }
      return { method: 'publickey', description, make: () => Promise.resolve(method) }
    })
    const attempts = Array.from({ length: SECRET_TRIES })
    const interactive = attempts.map(
      (): Candidate => ({
        method: 'keyboard-interactive',
        description: 'keyboard-interactive',
        make: () => Promise.resolve(asker.interactive(username)),
      }),
    )
    const passwords = attempts.map(
      (): Candidate => ({ method: 'password', description: 'password', make: () => asker.password(username) }),
    )
    return [...keys, ...interactive, ...passwords]
  }

  const choose = async (methodsLeft: readonly string[] | null, partial: boolean | null): Promise<AnyAuthMethod | false> => {
    // The first request, `none`, makes the host say what it offers.
    if (methodsLeft === null) return { type: 'none', username }
    offered = methodsLeft
    candidates ??= await gather()
    if (partial) asker.accepted()
    else asker.refused()
    for (;;) {
      if (asker.gaveUp()) return false
      const at = candidates.findIndex(
        ({ method }) => methodsLeft.includes(method) && !(asker.interactiveIsEmpty() && method === 'keyboard-interactive'),
      )
      const candidate = candidates[at]
      if (!candidate) return false
      candidates.splice(at, 1)
      const made = await candidate.make()
      if (!made) continue
      tried.push(candidate.description)
      return made
    }
  }

  return {
    handler(methodsLeft, partial, next) {
      // The library takes false for “no more”, which its types do not say.
      const go = deps.whileOpen(next as unknown as (method: AnyAuthMethod | false) => void)
      choose(methodsLeft, partial).then(go, (error: unknown) => {
        problems.push(error instanceof Error ? error.message : String(error))
        go(false)
      })
    },
    accepted: () => asker.accepted(),
    problem: (text) => void problems.push(text),
    error: (detail) => authError(hop, { offered, tried, problems, noAnswer: asker.gaveUp(), detail }),
  }
}

interface Asker {
  password(username: string): Promise<AnyAuthMethod | undefined>
  interactive(username: string): AnyAuthMethod
  accepted(): void
  refused(): void
  gaveUp(): boolean
  interactiveIsEmpty(): boolean
}

/** Passwords and interactive questions of one hop. A secret that was kept is tried once before the person is asked. */
function createAsker(hop: Hop, secrets: SecretMemory, whileOpen: WhileOpen): Asker {
  const who = hop.label
  let noAnswer = false
  let asked = false
  let interactiveEmpty = false
  let wasInteractive = false
  let pending: string | undefined
  let usedKept = false

  const answer = (text: string, echo: boolean): Promise<string | undefined> =>
    secrets.oneAtATime(async () => {
      asked = true
      const isPassword = !echo && /password/i.test(text) && !/one[- ]time|otp|code|token/i.test(text)
      const kept = isPassword && !usedKept ? secrets.password(who) : undefined
      if (kept !== undefined) {
        usedKept = true
        return kept
      }
      const given = await secrets.prompter.secret(text, { echo })
      if (given === undefined) noAnswer = true
      else if (isPassword) pending = given
      return given
    })

  return {
    async password(username) {
      wasInteractive = false
      const password = await answer(`Password for ${nameOf(hop)}: `, false)
      return password === undefined ? undefined : { type: 'password', username, password }
    },
    interactive(username) {
      asked = false
      wasInteractive = true
      const prompt = (
        _name: string,
        instructions: string,
        _language: string,
        prompts: Prompt[],
        finish: (answers: string[]) => void,
      ) => {
        const ask = async () => {
          const answers: string[] = []
          for (const [index, { prompt: text, echo }] of prompts.entries()) {
            const intro = index === 0 && instructions.trim() ? `${instructions.trim()} ` : ''
            const given = noAnswer ? undefined : await answer(`${intro}${text.trim()} [${nameOf(hop)}] `, echo ?? false)
            answers.push(given ?? '')
          }
          return answers
        }
        // Empty answers make the host say no, after which the next choice ends it.
        const give = whileOpen(finish)
        ask().then(give, () => give(prompts.map(() => '')))
      }
      return { type: 'keyboard-interactive', username, prompt }
    },
    accepted() {
      if (pending !== undefined) secrets.keepPassword(who, pending)
      pending = undefined
    },
    refused() {
      if (usedKept && pending === undefined) secrets.forgetPassword(who)
      // A host without a device for it says no at once, as often as it is asked.
      if (wasInteractive && !asked) interactiveEmpty = true
      pending = undefined
    },
    gaveUp: () => noAnswer,
    interactiveIsEmpty: () => interactiveEmpty,
  }
}

function authError(
  hop: Hop,
  seen: { offered: readonly string[]; tried: string[]; problems: string[]; noAnswer: boolean; detail: string | undefined },
): SpeedgridError {
  const evidence = [
    `phase: authentication at ${nameOf(hop)}`,
    `offered by the host: ${seen.offered.join(', ') || 'nothing was said'}`,
    `tried: ${seen.tried.join('; ') || 'nothing (no key, no agent)'}`,
    ...seen.problems,
    ...(seen.detail ? [`the host said: ${seen.detail}`] : []),
  ]
  if (seen.noAnswer) {
    return new SpeedgridError('auth', `${nameOf(hop)} asks for a password or code, and nobody was there to give it.`, {
      evidence,
      nextStep: 'Run it at a terminal to be asked, or use a key: ssh-copy-id, or IdentityFile in ~/.ssh/config.',
    })
  }
  const nextStep = nextStepAfter(seen, hop)
  return new SpeedgridError('auth', `${nameOf(hop)} did not accept any way to authenticate.`, { evidence, nextStep })
}

function nextStepAfter(seen: { problems: string[]; detail: string | undefined }, hop: Hop): string {
  if (/too many/i.test(seen.detail ?? '')) {
    return 'Too many keys were offered: name the right one with IdentityFile and IdentitiesOnly yes in ~/.ssh/config.'
  }
  if (seen.problems.some((problem) => /^the passphrase of .* was not given/.test(problem))) {
    return 'Run it at a terminal to be asked for the passphrase, or give the key to the agent: ssh-add FILE'
  }
  return `Check the user name and the key: ssh ${hop.target.alias} must work from this account.`
}
