import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLab, hostRequest } from '../../../test/sweep-lab.ts'
import { SpeedgridError } from '../../shared/model/error.ts'

/** A package folder as npm lays it out, with something small in place of the 127 MB binary. */
function nodePackage(content: string): { path: string; remove: () => void } {
  const root = mkdtempSync(join(tmpdir(), 'speedgrid-node-package-'))
  mkdirSync(join(root, 'bin'))
  writeFileSync(join(root, 'package.json'), JSON.stringify({ version: '24.9.1' }))
  const path = join(root, 'bin/node')
  writeFileSync(path, content)
  chmodSync(path, 0o755)
  return { path, remove: () => rmSync(root, { recursive: true, force: true }) }
}
const works = `#!/bin/sh\nexec '${process.execPath}' "$@"\n`

test('Node is brought once, only where allowed, and the sweep runs on it', async () => {
  const node = nodePackage(works)
  const nodeBinaries = { x64: node.path, arm64: node.path }
  const lab = await createLab({ inventory: { node: undefined }, nodeBinaries })
  try {
    const folder = join(lab.homeDir, '.cache/speedgrid/node')
    expect((await lab.sweeps.dryRun(hostRequest())).place).toBe('tunnel')
    expect(existsSync(folder)).toBe(false)

    const handle = await lab.sweeps.start(hostRequest({ sendNode: true }))
    expect(handle.place).toBe('host')
    expect(handle.placeNote).toContain('/node/24.9.1-')
    await handle.finished
    const [version = ''] = readdirSync(folder)
    expect(readdirSync(join(folder, version))).toEqual(['node'])
    expect(statSync(join(folder, version, 'node')).mode & 0o777).toBe(0o700)
    expect(lab.store.runs.document(handle.runId).events[0]?.text).toContain('Node was brought')

    const before = statSync(join(folder, version, 'node')).mtimeMs
    const again = await lab.sweeps.dryRun(hostRequest())
    expect(again).toMatchObject({ place: 'host' })
    expect(again.placeNote).toBeUndefined()
    expect(statSync(join(folder, version, 'node')).mtimeMs).toBe(before)

    // One that was changed since is not ours any more.
    copyFileSync('/bin/true', join(folder, version, 'node'))
    expect((await lab.sweeps.dryRun(hostRequest())).place).toBe('tunnel')
  } finally {
    await lab.dispose()
    node.remove()
  }
})

test('one that does not run there is said and taken away again', async () => {
  const node = nodePackage('#!/bin/sh\necho "version GLIBC_2.28 not found" >&2\nexit 1\n')
  const lab = await createLab({ inventory: { node: undefined }, nodeBinaries: { x64: node.path, arm64: node.path } })
  try {
    const asked = lab.sweeps.start(hostRequest({ sendNode: true, driver: 'host' }))
    const error = await asked.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(SpeedgridError)
    expect(error).toMatchObject({ code: 'no_node', evidence: ['version GLIBC_2.28 not found'] })
    expect(existsSync(join(lab.homeDir, '.cache/speedgrid/node'))).toBe(false)
    const byDefault = await lab.sweeps.dryRun(hostRequest({ sendNode: true }))
    expect(byDefault.place).toBe('tunnel')
    expect(byDefault.placeNote).toContain('bringing one failed')
  } finally {
    await lab.dispose()
    node.remove()
  }
})
