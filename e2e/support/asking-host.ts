import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import ssh2, { type AuthContext } from 'ssh2'

/** An SSH server of this process that asks for a password and then for a code; its commands run in a real sh. */
export interface AskingHost {
  port: number
  password: string
  code: string
  /** Text of the second question, chosen by the host. */
  question: string
  close(): void
}

export async function startAskingHost(folder: string, question: string): Promise<AskingHost> {
  const home = join(folder, 'asking-home')
  mkdirSync(home, { recursive: true })
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' })
  const host = { password: 'correct horse', code: '246810', question }
  const passed = new WeakSet()
  const server = new ssh2.Server({ hostKeys: [key] }, (client) => {
    client.on('error', () => undefined)
    client.on('authentication', (context: AuthContext) => {
      if (context.method === 'password' && context.password === host.password) {
        passed.add(client)
        return context.reject(['keyboard-interactive'], true)
      }
      if (context.method === 'keyboard-interactive' && passed.has(client)) {
        return context.prompt([{ prompt: host.question, echo: true }], ([code]) => {
          if (code === host.code) context.accept()
          else context.reject(['keyboard-interactive'])
        })
      }
      context.reject([passed.has(client) ? 'keyboard-interactive' : 'password'])
    })
    client.on('session', (acceptSession) => {
      acceptSession().on('exec', (accept, _reject, { command }) => {
        const channel = accept()
        const child = spawn('/bin/sh', ['-c', command], { cwd: home, env: { PATH: '/usr/bin:/bin', HOME: home } })
        channel.pipe(child.stdin)
        child.stdin.on('error', () => undefined)
        child.stdout.on('data', (chunk: Buffer) => channel.write(chunk))
        child.stderr.on('data', (chunk: Buffer) => channel.stderr.write(chunk))
        child.on('close', (status) => {
          channel.exit(status ?? 1)
          channel.end()
        })
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { ...host, port, close: () => server.close() }
}
