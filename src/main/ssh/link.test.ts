import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sshdMissing, startSshd, type TestSshd } from '../../../test/sshd.ts'
import { createSshConnector, type HostLink, type SshConnector } from './index.ts'
import { FAST, hostAt, scriptedPrompter, temporaryHome } from './test-support.ts'

describe.skipIf(sshdMissing())('a link to a real sshd', () => {
  const place = temporaryHome()
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-remote-'))
  let sshd: TestSshd
  let connector: SshConnector
  let link: HostLink

  beforeAll(async () => {
    sshd = await startSshd()
    place.writeKnownHosts(`[127.0.0.1]:${sshd.port} ${sshd.hostKeyLine}\n`)
    connector = createSshConnector({
      homeDir: place.home,
      ownKnownHostsPath: place.ownKnownHostsPath,
      prompter: scriptedPrompter(),
      env: {},
      limits: FAST,
    })
    link = await connector.connect(hostAt(sshd))
  })
  afterAll(async () => {
    await connector?.dispose()
    await sshd?.stop()
    place.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  it('runs argument lists exactly as they are', async () => {
    const nasty = [
      '',
      ' ',
      "it's",
      '"',
      '$HOME',
      '`id`',
      '\\',
      '!!',
      'a\nb\n',
      '*',
      '~',
      '-n',
      'ä€😀',
      '; rm -rf /',
      '%s',
      '$(id)',
      '\t',
    ]
    const result = await link.exec(['printf', '%s\\0', ...nasty])
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(result.stdout.split('\0').slice(0, -1)).toEqual(nasty)
  })

  it('gives the exit code, both outputs and the signal', async () => {
    const result = await link.exec(['sh', '-c', 'echo out; echo err >&2; exit 7'])
    expect(result).toEqual({ code: 7, stdout: 'out\n', stderr: 'err\n' })
    const missing = await link.exec(['no-such-command-here'])
    expect(missing.code).toBe(127)
  })

  it('passes standard input, also a large one', async () => {
    const big = 'x'.repeat(3_000_000)
    const result = await link.exec(['wc', '-c'], { stdin: big })
    expect(Number(result.stdout)).toBe(big.length)
    const unread = await link.exec(['true'], { stdin: big })
    expect(unread.code).toBe(0)
  })

  it('cuts output beyond its limit without stopping the command', async () => {
    const result = await link.exec(['sh', '-c', 'head -c 200000 /dev/zero | tr "\\0" a; echo end >&2'], { maxOutputBytes: 1000 })
    expect(result.stdout.length).toBe(1000)
    expect(result.stderr).toBe('end\n')
  })

  it('kills a command that runs out of time', async () => {
    const pidFile = join(folder, 'pid')
    const running = link.exec(['sh', '-c', 'echo $$ > "$1"; sleep 600', 'sh', pidFile], { timeoutMs: 1500 })
    await expect(running).rejects.toMatchObject({ code: 'remote' })
    const pid = Number(readFileSync(pidFile, 'utf8'))
    await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 10_000 }).toBe(false)
  })

  it('stops when asked to', async () => {
    const stopper = new AbortController()
    const running = link.exec(['sleep', '600'], { signal: stopper.signal })
    setTimeout(() => stopper.abort(), 100)
    await expect(running).rejects.toMatchObject({ code: 'interrupted' })
    await expect(link.exec(['true'], { signal: stopper.signal })).rejects.toMatchObject({ code: 'interrupted' })
  })

  it('runs a script with arguments, whose commands cannot eat the rest of it', async () => {
    const result = await link.script('cat\nfor a in "$@"; do printf "<%s>" "$a"; done\nexit 3', ["it's", 'b c'])
    expect(result).toMatchObject({ code: 3, stdout: "<it's><b c>" })
  })

  it('queues what sshd would refuse', async () => {
    const results = await Promise.all(Array.from({ length: 25 }, (_, n) => link.exec(['sh', '-c', `sleep 0.05; echo ${n}`])))
    expect(results.map((result) => result.stdout.trim())).toEqual(Array.from({ length: 25 }, (_, n) => String(n)))
  })

  it('waits while sshd still counts sessions whose commands are ending', async () => {
    const stopper = new AbortController()
    const stopped = Array.from({ length: 6 }, () =>
      link.exec(['sh', '-c', 'trap "" TERM; sleep 600'], { signal: stopper.signal }),
    )
    setTimeout(() => stopper.abort(), 500)
    const outcomes = await Promise.allSettled(stopped)
    expect(outcomes.every((outcome) => outcome.status === 'rejected')).toBe(true)
    const after = await Promise.all(Array.from({ length: 6 }, () => link.exec(['echo', 'ok'])))
    expect(after.map((result) => result.stdout)).toEqual(Array.from({ length: 6 }, () => 'ok\n'))
  })

  it('streams output as it comes and ends the command on dispose', async () => {
    let text = ''
    const stream = await link.stream(
      ['sh', '-c', 'while :; do echo tick; sleep 0.05; done'],
      (chunk) => (text += chunk.toString()),
    )
    await expect.poll(() => text.split('\n').length, { timeout: 10_000 }).toBeGreaterThan(3)
    stream.dispose()
    const result = await stream.done
    expect(result.code).not.toBe(0)
  })

  describe('files', () => {
    it('writes as a whole with the mode asked for, and reads back', async () => {
      const path = join(folder, 'a file')
      await link.files.write(path, 'one', 0o600)
      await link.files.write(path, 'two äö', 0o640)
      expect(readFileSync(path, 'utf8')).toBe('two äö')
      expect(statSync(path).mode & 0o777).toBe(0o640)
      expect((await link.files.read(path)).toString()).toBe('two äö')
      expect(await link.files.stat(path)).toMatchObject({ size: 8, mode: 0o640, isDirectory: false })
      expect(await link.files.list(folder)).not.toContainEqual(expect.stringContaining('.tmp'))
    })

    it('sends a large file unchanged', async () => {
      const local = join(folder, 'local')
      const bytes = Buffer.alloc(3_000_001)
      for (let at = 0; at < bytes.length; at++) bytes[at] = (at * 31) % 251
      writeFileSync(local, bytes)
      await link.files.send(local, join(folder, 'sent'), 0o700)
      expect(readFileSync(join(folder, 'sent')).equals(bytes)).toBe(true)
      expect((await link.files.read(join(folder, 'sent'), 0, 4_000_000)).equals(bytes)).toBe(true)
    })

    it('follows a growing file, and sees a replaced one wherever it is read from', async () => {
      const path = join(folder, 'grows')
      await link.files.append(path, 'abc')
      expect((await link.files.read(path, 1)).toString()).toBe('bc')
      expect((await link.files.read(path, 3)).length).toBe(0)
      await link.files.append(path, 'def')
      expect((await link.files.read(path, 3)).toString()).toBe('def')
      expect((await link.files.read(path, 3, 2)).toString()).toBe('de')
      await link.files.write(path, 'new', 0o600)
      expect((await link.files.read(path)).toString()).toBe('new')
      await link.exec(['sh', '-c', 'rm -- "$1"; printf another >"$1"', 'sh', path])
      expect((await link.files.read(path, 2)).toString()).toBe('other')
    })

    it('makes folders with parents, and removes trees without following links', async () => {
      const outside = join(folder, 'outside')
      writeFileSync(outside, 'stays')
      await link.files.makeFolder(join(folder, 'x/y/z'), 0o700)
      expect(statSync(join(folder, 'x/y/z')).mode & 0o777).toBe(0o700)
      await link.files.makeFolder(join(folder, 'x'), 0o700)
      await link.exec(['ln', '-s', folder, join(folder, 'x/link')])
      await link.files.write(join(folder, 'x/y/f'), 'f', 0o600)
      await link.files.remove(join(folder, 'x'))
      expect(existsSync(join(folder, 'x'))).toBe(false)
      expect(readFileSync(outside, 'utf8')).toBe('stays')
      await link.files.remove(join(folder, 'x'))
      await expect((async () => link.files.remove('/'))()).rejects.toMatchObject({ code: 'internal' })
    })

    it('says what is not there', async () => {
      expect(await link.files.stat(join(folder, 'nothing'))).toBeUndefined()
      await expect(link.files.read(join(folder, 'nothing'))).rejects.toMatchObject({ code: 'not_found' })
      await expect(link.files.write(join(folder, 'no/where/f'), 'x', 0o600)).rejects.toMatchObject({ code: 'not_found' })
    })

    it('takes relative paths and ~ as the home folder', async () => {
      const home = (await link.exec(['sh', '-c', 'cd; ls -a'])).stdout
        .trim()
        .split('\n')
        .filter((name) => !/^\.\.?$/.test(name))
        .sort()
      expect(await link.files.list('~')).toEqual(home)
      expect(await link.files.stat('.')).toMatchObject({ isDirectory: true })
    })
  })

  it('comes back after the connection was cut, and goes on', async () => {
    const states: string[] = []
    const stop = link.onStateChange(({ state }) => states.push(state))
    const pidFile = join(folder, 'survivor')
    const running = link.exec(['sh', '-c', 'echo $$ > "$1"; exec sleep 600', 'sh', pidFile])
    running.catch(() => undefined)
    await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8'), { timeout: 10_000 }).toMatch(/\d\n/)
    expect(sshd.cutConnections()).toBeGreaterThan(0)
    await expect(running).rejects.toMatchObject({ code: 'link_lost' })
    const results = await Promise.all([link.exec(['echo', 'back']), link.files.list(folder)])
    expect(results[0].stdout).toBe('back\n')
    expect(results[1].length).toBeGreaterThan(0)
    expect(states).toEqual(['reconnecting', 'connected'])
    stop()
    await link.exec(['kill', readFileSync(pidFile, 'utf8').trim()])
  })
})
