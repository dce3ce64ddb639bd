import type { HostsApi, HostView } from '../../../shared/contract/hosts.ts'
import type { PromptsApi, PromptView } from '../../../shared/contract/prompts.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { reduceHosts, reducePrompts } from '../../state/lists.ts'
import { createFakeFeed, pause } from './feed.ts'
import { inventory } from './hosts-data.ts'

const OLD_KEY = 'SHA256:3cYyDkMkXw7JxJ7GZVb2T9cX8h0pPqLr5mN1oQeUaKs'
const NEW_KEY = 'SHA256:uQ0lWm8sYb4Zr2VhT6dKf9XnPjC5aLeGi1oR7tEwBvM'

/** Hosts by name: `old-*` has a changed key, `new-*` an unknown one, `secret-*` asks for a password and a code, `down-*` isn't there. */
export function createFakeHosts(
  initial: HostView[],
  wait: typeof pause = pause,
): {
  hosts: HostsApi
  prompts: PromptsApi
  ask(prompt: PromptView): Promise<void>
} {
  const feed = createFakeFeed<HostView[], { upsert: HostView } | { remove: string }>(initial, reduceHosts)
  const prompts = createFakeFeed<PromptView[], { upsert: PromptView } | { remove: string }>([], reducePrompts)
  const answered = new Map<string, () => void>()
  const removed = new Map<string, HostView>()
  const trusted = new Set<string>()
  const find = (name: string) => {
    const view = feed.value.find((it) => it.host.name === name)
    if (view === undefined) throw new SpeedgridError('unknown_host', `There is no host ${name}.`, { nextStep: 'Add it first.' })
    return view
  }
  const ask = (prompt: PromptView) =>
    new Promise<void>((resolve) => {
      answered.set(prompt.id, resolve)
      prompts.push({ upsert: prompt })
    })
  const stateOf = (name: string) =>
    trusted.has(name) ? 'known' : name.startsWith('old-') ? 'changed' : name.startsWith('new-') ? 'unknown' : 'known'

  const hosts: HostsApi = {
    watch: (signal) => feed.watch(signal),
    configAliases: () => Promise.resolve(['lab-a100', 'lab-b200', 'jump-lab', 'secret-vault', 'down-town']),
    add: async ({ name, target, identityFile }) => {
      await wait(300)
      if (feed.value.some((view) => view.host.name === name))
        throw new SpeedgridError('conflict', `There is a host named ${name} already.`, { nextStep: 'Choose another name.' })
      const match = /^(?:([^@]+)@)?(.+?)(?::(\d+))?$/.exec(target)
      const host = {
        name,
        address: match?.[2] ?? target,
        ...(match?.[1] === undefined ? {} : { user: match[1] }),
        ...(match?.[3] === undefined ? {} : { port: Number(match[3]) }),
        ...(identityFile === undefined ? {} : { identityFile }),
        demo: false,
        addedAt: new Date().toISOString(),
      }
      feed.push({ upsert: { host, connection: 'never' } })
      return host
    },
    remove: ({ name }) => {
      removed.set(name, find(name))
      feed.push({ remove: name })
      return Promise.resolve()
    },
    restore: ({ name }) => {
      const view = removed.get(name)
      if (view !== undefined) feed.push({ upsert: view })
      return Promise.resolve()
    },
    readKey: async ({ name }) => {
      await wait(250)
      const state = stateOf(name)
      return {
        hop: `${find(name).host.address}:22`,
        keyType: 'ssh-ed25519',
        fingerprint: NEW_KEY,
        state,
        knownFingerprints: state === 'changed' ? [OLD_KEY] : state === 'known' ? [NEW_KEY] : [],
      }
    },
    trust: ({ name }) => {
      trusted.add(name)
      return Promise.resolve()
    },
    connect: async ({ name }) => {
      const view = find(name)
      feed.push({ upsert: { ...view, connection: 'connecting' } })
      await wait(900)
      const fail = (error: SpeedgridError) => {
        feed.push({ upsert: { ...view, connection: 'failed', reason: error.message } })
        return error
      }
      if (name.startsWith('down-'))
        throw fail(
          new SpeedgridError('unreachable', `${name} can't be reached.`, {
            evidence: ['connect ECONNREFUSED 10.20.0.99:22'],
            nextStep: 'Is it switched on, and is sshd running? The doctor checks step by step.',
          }),
        )
      if (stateOf(name) === 'changed')
        throw fail(
          new SpeedgridError('host_key_changed', `The host key of ${name} has changed.`, {
            evidence: [`known: ${OLD_KEY}`, `offered: ${NEW_KEY}`],
          }),
        )
      if (stateOf(name) === 'unknown')
        throw fail(
          new SpeedgridError('host_key_unknown', `The host key of ${name} is not known yet.`, {
            evidence: [`offered: ${NEW_KEY}`],
          }),
        )
      if (name.startsWith('secret-')) {
        await ask({ id: `${name}-password`, kind: 'secret', text: `Password for ann@${name}`, echo: false })
        await ask({ id: `${name}-otp`, kind: 'secret', text: 'Verification code', echo: true })
      }
      const found = view.inventory ?? inventory(name)
      feed.push({
        upsert: {
          host: view.host,
          connection: 'connected',
          inventory: found,
          inventoryAt: new Date().toISOString(),
          runningServers: view.runningServers ?? 0,
        },
      })
      return found
    },
    doctor: async function* ({ name }, signal) {
      const isDown = name.startsWith('down-')
      const checks = [
        'dns',
        'tcp',
        'host_key',
        'authentication',
        'shell',
        'python',
        'vllm',
        'gpus',
        'disk',
        'node',
        'session',
        'clock',
      ]
      for (const [index, check] of checks.entries()) {
        await wait(220, signal)
        if (signal.aborted) return
        if (isDown && index === 1)
          yield {
            check,
            outcome: 'fail',
            evidence: 'connect ECONNREFUSED 10.20.0.99:22',
            remedy: 'Start sshd there, or check the port: `ssh -v down-town` shows the same.',
          }
        else if (isDown && index > 1) yield { check, outcome: 'skipped', evidence: 'not reached' }
        else if (check === 'disk')
          yield {
            check,
            outcome: 'fail',
            evidence: '/home: 9.1 GiB free of 1.8 TiB',
            remedy: 'A 27B FP8 model needs about 30 GiB. Set HF_HOME to a larger disk.',
          }
        else yield { check, outcome: 'pass', evidence: `${check} is fine (${String(3 + index * 7)} ms)` }
      }
    },
  }
  return {
    hosts,
    ask,
    prompts: {
      watch: (signal) => prompts.watch(signal),
      answer: ({ id }) => {
        prompts.push({ remove: id })
        answered.get(id)?.()
        return Promise.resolve()
      },
    },
  }
}
