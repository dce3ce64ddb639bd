import type { Person, Running } from '../../test/program/speedgrid.ts'

interface DemoFacts {
  port: number
  user: string
  clientKeyPath: string
  hostKeyFingerprint: string
  launchWords: string[]
}

/** A demo lab machine of its own: it outlives engines, as a real machine does. */
export interface DemoLab {
  name: string
  facts: DemoFacts
  running: Running
  /** Added to this person's hosts and trusted. */
  add(person: Person): Promise<void>
  /** Starts a server with the words of its command; returns its id. */
  launch(person: Person, words?: string[]): Promise<string>
  stop(): Promise<void>
}

export async function startDemoLab(person: Person, name = 'lab'): Promise<DemoLab> {
  const running = person.start(['demo-host', '--machine', 'h200', '--events'])
  const [line = ''] = await running.saw(/^\{.*"kind":"demo-host".*\}$/m)
  const facts = JSON.parse(line) as DemoFacts
  return {
    name,
    facts,
    running,
    async add(whose) {
      const { user, port, clientKeyPath, hostKeyFingerprint } = facts
      await whose.json(['hosts', 'add', name, `${user}@127.0.0.1:${port}`, '--identity', clientKeyPath])
      await whose.json(['hosts', 'trust', name, '--fingerprint', hostKeyFingerprint])
    },
    async launch(whose, words = facts.launchWords) {
      // What stands behind the two dashes is the server's.
      const { code, stdout, stderr } = await whose.run(['launch', name, '--json', '--', ...words])
      if (code !== 0) throw new Error(`launch: exit ${String(code)}\n${stdout}\n${stderr}`)
      return (JSON.parse(stdout) as { id: string }).id
    },
    async stop() {
      running.child.kill('SIGINT')
      await running.done
    },
  }
}
