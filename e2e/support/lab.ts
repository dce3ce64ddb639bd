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
  /** Added, trusted, with a server on it; returns the server's id. */
  launch(person: Person): Promise<string>
  stop(): Promise<void>
}

export async function startDemoLab(person: Person, name = 'lab'): Promise<DemoLab> {
  const running = person.start(['demo-host', '--machine', 'h200', '--json'])
  await running.saw(/\{[^]*\}\s*$/)
  const facts = JSON.parse(running.stdout()) as DemoFacts
  return {
    name,
    facts,
    running,
    async launch(whose) {
      const { user, port, clientKeyPath, hostKeyFingerprint, launchWords } = facts
      await whose.json(['hosts', 'add', name, `${user}@127.0.0.1:${port}`, '--identity', clientKeyPath])
      await whose.json(['hosts', 'trust', name, '--fingerprint', hostKeyFingerprint])
      const launched = await whose.json<{ id: string }>(['launch', name, '--', ...launchWords])
      return launched.id
    },
    async stop() {
      running.child.kill('SIGINT')
      await running.done
    },
  }
}
