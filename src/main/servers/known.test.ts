import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLocalLink, type LocalLink } from '../../../test/local-link.ts'
import type { Server } from '../../shared/model/server.ts'
import { readKnown } from './known.ts'

const COMMIT = '73a5831127a9be2d4c1b0d9d8e1f2a3b4c5d6e7f'
const REVISION = '0123456789abcdef0123456789abcdef01234567'

describe('readKnown', () => {
  let link: LocalLink
  let site: string
  beforeEach(async () => {
    link = await createLocalLink({ env: { PATH: '/usr/bin:/bin' } })
    site = join(link.homeDir, 'env/lib/python3.12/site-packages')
    await mkdir(join(link.homeDir, 'env/bin'), { recursive: true })
  })
  afterEach(() => link.dispose())

  const put = async (path: string, text: string) => {
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, text)
  }
  const read = (words: string[] = [], fromLog = {}) => {
    const vllm = join(link.homeDir, 'env/bin/vllm')
    const server: Server = {
      id: 'srv-1234',
      host: 'lab',
      port: 1,
      adopted: false,
      hasApiKey: true,
      startedAt: new Date().toISOString(),
      vllm,
      startedArgv: [vllm, 'serve', 'Qwen/Q3-8B', ...words],
    }
    return readKnown(link, server, fromLog)
  }

  it('tells nothing it does not know', async () => {
    expect(await read()).toEqual({ name: 'vllm', model: 'Qwen/Q3-8B' })
  })

  it('reads version, commit, build and revision where they lie', async () => {
    await put(
      join(site, `vllm-0.30.1rc1.dev452+g73a583112.dist-info/METADATA`),
      'Name: vllm\nProject-URL: Homepage, https://github.com/vllm-project/vllm\n',
    )
    await put(
      join(site, 'torch/version.py'),
      "from typing import Optional\ncuda: Optional[str] = '13.2'\nhip: Optional[str] = None\n",
    )
    await put(join(link.homeDir, '.cache/huggingface/hub/models--Qwen--Q3-8B/refs/main'), REVISION)
    const known = await read(['--max-num-seqs=64', '-q', 'fp8', '--speculative-config.method', 'mtp'], {
      backend: 'cuda',
      quantization: 'BF16',
    })
    expect(known).toEqual({
      name: 'vllm',
      model: 'Qwen/Q3-8B',
      version: '0.30.1rc1.dev452+g73a583112',
      commit: '73a583112',
      repository: 'github.com/vllm-project/vllm',
      backend: 'cuda',
      build: 'cuda-13.2',
      modelRevision: REVISION,
      maxNumSeqs: 64,
      maxNumSeqsSource: 'argv',
      quantization: 'FP8',
      speculative: true,
    })
    expect((await read([], { backend: 'cpu' })).build).toBeUndefined()
  })

  it('reads the argument list of a server that somebody else started', async () => {
    const argv = ['/v/bin/python3', '/v/bin/vllm', 'serve', 'org/m', '--max-num-seqs', '8']
    const server: Server = {
      id: 'srv-1234',
      host: 'lab',
      port: 1,
      adopted: true,
      hasApiKey: false,
      startedAt: new Date().toISOString(),
      startedArgv: argv,
    }
    expect(await readKnown(link, server, {})).toMatchObject({ model: 'org/m', maxNumSeqs: 8 })
  })

  it('prefers what pip wrote down, and a checkout’s own commit', async () => {
    const info = join(site, 'vllm-0.30.0.dist-info')
    await put(
      join(info, 'direct_url.json'),
      JSON.stringify({ url: 'https://me:pw@github.com/fork/vllm.git', vcs_info: { vcs: 'git', commit_id: COMMIT } }),
    )
    expect(await read()).toMatchObject({ commit: COMMIT.slice(0, 12), repository: 'github.com/fork/vllm' })
    const checkout = join(link.homeDir, 'src vllm')
    await put(join(info, 'direct_url.json'), JSON.stringify({ url: `file://${checkout}`, dir_info: { editable: true } }))
    await put(join(checkout, '.git/HEAD'), 'ref: refs/heads/main\n')
    await put(join(checkout, '.git/packed-refs'), `# pack-refs\n${REVISION} refs/heads/other\n${COMMIT} refs/heads/main\n`)
    await put(
      join(checkout, '.git/config'),
      '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@github.com:vllm-project/vllm.git\n[branch "main"]\n',
    )
    expect(await read()).toMatchObject({ commit: COMMIT.slice(0, 12), repository: 'github.com/vllm-project/vllm' })
  })
})
