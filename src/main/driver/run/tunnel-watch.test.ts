import { expect, it } from 'vitest'
import { createCommands } from './commands.ts'
import { createFakeClock } from './test-clock.ts'
import { watchTunnel } from './tunnel-watch.ts'

it('takes an engine that says nothing for a tunnel that carries nothing, and believes what it says of the tunnel', async () => {
  const clock = createFakeClock()
  const commands = createCommands()
  const tunnel = watchTunnel({ clock, commands })
  const down = async (ms: number) => {
    await clock.run(clock.sleep(ms))
    return commands.link.down
  }
  // Before its first line it has nothing to carry yet.
  expect(await down(10_000)).toBeUndefined()
  for (let second = 0; second < 5; second += 1) {
    tunnel.heard()
    expect(await down(1000)).toBeUndefined()
  }
  expect(await down(3000)).toBe('the engine says nothing')
  tunnel.heard()
  expect(commands.link.down).toBeUndefined()
  tunnel.say({ kind: 'link', state: 'down', reason: 'no answer' })
  expect(commands.link.down).toBe('no answer')
  // Silent on top of that: the tunnel is not up again because the engine is back.
  expect(await down(5000)).toBe('no answer')
  tunnel.heard()
  expect(commands.link.down).toBe('no answer')
  tunnel.say({ kind: 'link', state: 'up' })
  expect(commands.link.down).toBeUndefined()
  expect(commands.link.losses).toBe(2)
  tunnel.stop()
})
