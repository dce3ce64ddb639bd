import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TestHost } from '../../../../test/lab-host.ts'
import { createTestHost } from '../../../../test/lab-host.ts'
import { readInventory } from './read-inventory.ts'

let host: TestHost
beforeEach(async () => {
  host = await createTestHost()
})
afterEach(async () => {
  await host.link.dispose()
})

// A Python that only knows how to tell versions.
const python = (vllm: string, extra = '') =>
  `[ "$1" = --version ] && { echo "Python 3.12.3"; exit 0; }\necho "vllm ${vllm}"\n${extra}`
const ours = (vllm: string) => (environment: { vllm: string }) => environment.vllm === vllm

describe('the inventory script, run by a real sh', () => {
  test('tells the machine', async () => {
    const { inventory, user, home, disks } = await readInventory(host.link)
    expect(inventory.hostName).toBe(os.hostname())
    expect(inventory.os).toBe('linux')
    expect(inventory.arch).toBe(os.machine())
    expect(inventory.cpuCount).toBeGreaterThan(0)
    expect(inventory.memoryBytes).toBeGreaterThan(100 * 2 ** 20)
    expect(inventory.homeFreeBytes).toBeGreaterThan(0)
    expect(user).toBe(os.userInfo().username)
    expect(home).toBe(host.home)
    expect(disks.models?.path).toBe(`${host.home}/.cache/huggingface/hub`)
    expect(disks.cache?.kind).toBeTypeOf('string')
    expect(fs.readdirSync(host.home)).toEqual(['path'])
  })

  test('asks nvidia-smi for less where a field is unknown', async () => {
    host.program(
      'path/nvidia-smi',
      `case $1 in
        *mig.mode*) echo 'Field "mig.mode.current" is not a valid field to query.'; exit 2 ;;
        *compute_cap*) echo 'Field "compute_cap" is not a valid field to query.'; exit 2 ;;
        --query-gpu=*) echo "0, GPU-1, NVIDIA Old, 16160, 450.1, 250.00"; echo "1, GPU-2, NVIDIA Old, 16160, 450.1, [N/A]" ;;
      esac`,
    )
    const { inventory } = await readInventory(host.link)
    expect(inventory.gpuTool).toBe('nvidia-smi')
    expect(inventory.gpuProblem).toBeUndefined()
    expect(inventory.gpus).toEqual([
      { index: 0, uuid: 'GPU-1', name: 'NVIDIA Old', memoryMiB: 16_160, driverVersion: '450.1', powerLimitWatts: 250 },
      { index: 1, uuid: 'GPU-2', name: 'NVIDIA Old', memoryMiB: 16_160, driverVersion: '450.1' },
    ])
  })

  test('keeps what nvidia-smi says when the driver is broken, and asks only once', async () => {
    host.program(
      'path/nvidia-smi',
      `echo asked >> "$HOME/asked"
       echo "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running."
       exit 9`,
    )
    const { inventory } = await readInventory(host.link)
    expect(inventory.gpus).toEqual([])
    expect(inventory.gpuProblem).toContain("couldn't communicate with the NVIDIA driver")
    expect(fs.readFileSync(path.join(host.home, 'asked'), 'utf8')).toBe('asked\n')
  })

  test('names MIG devices', async () => {
    host.program(
      'path/nvidia-smi',
      `case $1 in
        -L) printf 'GPU 0: NVIDIA A100 (UUID: GPU-a)\\n  MIG 1g.5gb      Device  0: (UUID: MIG-1)\\n' ;;
        *) echo "0, GPU-a, NVIDIA A100-SXM4-40GB, 40960, 535.1, 400.00, 8.0, Enabled" ;;
      esac`,
    )
    expect((await readInventory(host.link)).inventory.gpus[0]?.migDevices).toEqual(['1g.5gb'])
  })

  test('finds vLLM in its usual places, each once, with versions from its own Python', async () => {
    const venv = host.program('venv-new/bin/vllm', `#!${host.home}/venv-new/bin/python3\n`)
    host.program('venv-new/bin/python3', python('0.11.0', 'echo "torch 2.9.0+cu130"; echo "cuda 13.0"'))
    const uv = host.program('.local/share/uv/tools/vllm/bin/vllm', `#!${host.home}/.local/share/uv/tools/vllm/bin/python\n`)
    host.program('.local/share/uv/tools/vllm/bin/python', python('0.10.2'))
    fs.mkdirSync(path.join(host.home, '.local/bin'), { recursive: true })
    fs.symlinkSync(uv, path.join(host.home, '.local/bin/vllm'))
    const { environments } = (await readInventory(host.link)).inventory
    expect(environments.find(ours(venv))).toEqual({
      vllm: venv,
      python: `${host.home}/venv-new/bin/python3`,
      version: '0.11.0',
      torchVersion: '2.9.0+cu130',
      cuda: '13.0',
    })
    const tool = environments.filter((it) => it.version === '0.10.2')
    expect(tool).toHaveLength(1)
  })

  test('understands the long first line of pip, and a front door that hands over', async () => {
    const deep = `deep ${'x'.repeat(20)}`
    host.program(`${deep}/bin/python3`, python('0.9.1'))
    const long = host.program(`venv/bin/vllm`, `#!/bin/sh\n'''exec' "${host.home}/${deep}/bin/python3" "$0" "$@"\n' '''\n`)
    host.program('hidden/place/venv/bin/python3', python('0.12.0'))
    host.program('hidden/place/venv/bin/vllm', 'exit 1')
    const front = host.program('path/vllm', `export A=1\nexec "${host.home}/hidden/place/venv/bin/vllm" "$@"`)
    const { environments } = (await readInventory(host.link)).inventory
    expect(environments.find(ours(long))?.version).toBe('0.9.1')
    expect(environments[0]).toMatchObject({
      vllm: front,
      version: '0.12.0',
      python: `${host.home}/hidden/place/venv/bin/python3`,
    })
  })

  test('asks the executable itself where there is no Python behind it', async () => {
    const own = host.program('path/vllm', 'echo "INFO starting"; echo "vllm 0.30.1rc1.dev452+g73a583112"')
    expect((await readInventory(host.link)).inventory.environments[0]).toEqual({
      vllm: own,
      version: '0.30.1rc1.dev452+g73a583112',
    })
  })

  test('looks first at the paths it is given', async () => {
    host.program('path/vllm', 'echo 1.0.0')
    const given = host.program('somewhere/else entirely/vllm', 'echo 2.0.0')
    const { environments } = (await readInventory(host.link, [given.replace(host.home, '~'), '/no/such/vllm'])).inventory
    expect(environments.slice(0, 2).map((it) => [it.vllm, it.version])).toEqual([
      [given, '2.0.0'],
      [`${host.home}/path/vllm`, '1.0.0'],
    ])
  })

  test('takes the newest Node of the host that is new enough, ours only where there is none; ours is not started', async () => {
    host.program('path/node', 'echo v18.19.0')
    const theirs = host.program('.nvm/versions/node/v99.1.0/bin/node', 'echo v99.1.0')
    const brought = host.program('.cache/speedgrid/node/99.4.0-x64/node', 'touch "$HOME/started"; echo v99.4.0')
    const { inventory, nodes } = await readInventory(host.link)
    expect(inventory.node).toEqual({ path: theirs, version: '99.1.0' })
    expect(nodes[0]).toEqual({ path: `${host.home}/path/node`, version: '18.19.0' })
    fs.rmSync(theirs)
    // A machine that runs the tests may have one of its own.
    const alone = (await readInventory(host.link)).inventory.node
    if (alone?.brought === true) expect(alone).toEqual({ path: brought, version: '99.4.0', brought: true })
    expect(fs.existsSync(`${host.home}/started`)).toBe(false)
  })

  test('an executable that hangs or reads its input does no harm', async () => {
    host.program('path/node', 'cat; echo v22.1.0')
    host.program('path/python3', 'cat >/dev/null; echo "Python 3.13.1"')
    const { inventory } = await readInventory(host.link)
    expect(inventory.python).toEqual({ path: `${host.home}/path/python3`, version: '3.13.1' })
  })

  test('a script that is cut short is an error, not an empty host', async () => {
    host.program('path/id', 'kill -9 $PPID')
    await expect(readInventory(host.link)).rejects.toMatchObject({ code: 'remote' })
  })
})
