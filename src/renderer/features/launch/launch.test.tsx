// @vitest-environment jsdom
import '../../testing/dom.ts'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { renderApp, type RenderOptions } from '../../testing/render-app.tsx'

// jsdom draws nothing, so there is no terminal in it; what it is given is what counts here.
const written = vi.hoisted(() => ({ text: '' }))
vi.mock('./log/log-terminal.ts', () => ({
  LINES_SHOWN: 20_000,
  createLogTerminal: () => ({
    write: (text: string) => {
      written.text += text
    },
    onFollow: () => undefined,
    onFound: () => undefined,
    setTheme: () => undefined,
    dispose: () => undefined,
  }),
}))

const SLOW = { timeout: 15_000 }
const PASTED = `HF_TOKEN=hf_abcdefghijkl vllm serve org/model-a \\
  --max-model-len 256K \\
  --unknown-flag "two words" --api-key topsecretkey`

const field = () => screen.findByLabelText<HTMLTextAreaElement>('Launch command', {}, SLOW)
const input = (label: string) => screen.getByLabelText<HTMLInputElement>(label, { selector: 'input' })

async function compose(command?: string, options: RenderOptions = {}) {
  const view = renderApp({ route: '#/launch?host=gpu-lab-1', ...options })
  const text = await field()
  if (command !== undefined) {
    fireEvent.change(text, { target: { value: command } })
    fireEvent.blur(text)
  }
  return { ...view, text }
}

beforeEach(() => {
  written.text = ''
  sessionStorage.clear()
})

describe('writing a launch', () => {
  it('shows a pasted command in the form, and edits of the form in the command', async () => {
    const { text } = await compose('vllm serve org/model-a \\\n  --max-model-len 256K \\\n  --unknown-flag "two words"')
    expect(input('Max model length').value).toBe('256K')
    expect(screen.getByText('262,144 tokens (256K)')).toBeTruthy()
    expect(screen.getByRole('button', { name: /--unknown-flag two words/ })).toBeTruthy()
    fireEvent.change(input('Max sequences'), { target: { value: '64' } })
    expect(text.value).toBe(
      'vllm serve org/model-a \\\n  --max-model-len 256K \\\n  --unknown-flag "two words" \\\n  --max-num-seqs 64',
    )
    fireEvent.change(input('Max model length'), { target: { value: '' } })
    expect(text.value).toBe('vllm serve org/model-a \\\n  --unknown-flag "two words" \\\n  --max-num-seqs 64')
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    expect(text.value).toContain('--max-model-len 256K')
  })

  it('moves secrets out of the text and shows them nowhere', async () => {
    const { text } = await compose(PASTED)
    expect(text.value).not.toMatch(/hf_abc|topsecret/)
    expect(input('HF_TOKEN').type).toBe('password')
    expect(screen.getByLabelText('Exact command').textContent).toContain('HF_TOKEN=<redacted> VLLM_API_KEY=<redacted> vllm serve')
    expect(document.body.textContent).not.toMatch(/hf_abc|topsecret/)
    expect(JSON.stringify(sessionStorage)).not.toMatch(/hf_abc|topsecret/)
    expect(JSON.stringify(localStorage)).not.toMatch(/hf_abc|topsecret/)
  })

  it('shows no secret of a command that can’t be launched, and puts right what was pasted with one press', async () => {
    const { text } = await compose(
      'docker run --env HF_TOKEN=hf_abcdefghijkl --x \'{"clientSecret":"topsecret"}\' vllm/vllm-openai m',
    )
    await screen.findByText(/a launch in a container \(docker\) is not supported yet/, {}, SLOW)
    const shown = [screen.getByRole('group', { name: 'Other flags' }), screen.getByLabelText('Exact command')]
    expect(shown.map((part) => part.textContent).join(' ')).not.toMatch(/hf_abc|topsecret/)
    fireEvent.change(text, { target: { value: 'vllm serve m —dtype ‘auto’' } })
    fireEvent.click(await screen.findByRole('button', { name: 'Write plain quotes and dashes' }, SLOW))
    expect(text.value).toBe('vllm serve m --dtype auto')
    await waitFor(() => {
      expect(screen.getByRole('button', { name: /^Launch/ }).hasAttribute('disabled')).toBe(false)
    }, SLOW)
  })

  it('says beside a field what is wrong with it, and that the host has fewer GPUs', async () => {
    await compose('vllm serve m --gpu-memory-utilization 1.4 --tensor-parallel-size 8')
    const share = input('GPU memory share')
    expect(share.getAttribute('aria-invalid')).toBe('true')
    const ids = share.getAttribute('aria-describedby')?.split(' ') ?? []
    expect(ids.some((id) => document.getElementById(id)?.textContent === 'Above 0 and at most 1, like 0.93.')).toBe(true)
    expect(screen.getByText('The host has 1 GPU.')).toBeTruthy()
  })

  it('can’t be launched while the engine says that it is no such command', async () => {
    await compose('docker run something')
    await screen.findByText(/Not a command that can be launched/, {}, SLOW)
    expect(screen.getByRole('button', { name: /^Launch/ }).hasAttribute('disabled')).toBe(true)
  })

  it('saves under a name without secrets, and removes with a way back', async () => {
    const { app } = await compose(PASTED)
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    const name = await screen.findByLabelText('Name', {}, SLOW)
    expect((name as HTMLInputElement).value).toBe('model-a')
    fireEvent.change(name, { target: { value: 'gpt-oss 120B' } })
    expect(screen.getByText('There is one of that name already.')).toBeTruthy()
    fireEvent.change(name, { target: { value: 'mine' } })
    fireEvent.submit(name)
    await screen.findByRole('button', { name: /^mine/ }, SLOW)
    const saved = (await app.client.servers.savedLaunches.query()).find((launch) => launch.name === 'mine')
    expect(saved?.command).toContain('HF_TOKEN=<redacted>')
    expect(saved?.command).not.toMatch(/hf_abc|topsecret/)
    fireEvent.click(screen.getByRole('button', { name: 'More for mine' }))
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Remove' }))
    await waitFor(() => {
      expect(screen.queryByRole('button', { name: /^mine/ })).toBeNull()
    }, SLOW)
    // The form has an undo of its own, in the header of the command.
    fireEvent.click(within(screen.getByText('Removed mine').parentElement ?? document.body).getByRole('button', { name: 'Undo' }))
    await screen.findByRole('button', { name: /^mine/ }, SLOW)
  })
})

describe('launching', () => {
  it('goes by Ctrl+Enter through its phases to ready, with facts, log and one next step', async () => {
    const { text, engine } = await compose(PASTED)
    const launch = vi.spyOn(engine.api.servers, 'launch')
    await waitFor(() => {
      expect(screen.getByRole('button', { name: /^Launch/ }).hasAttribute('disabled')).toBe(false)
    }, SLOW)
    fireEvent.keyDown(text, { key: 'Enter', ctrlKey: true })
    await screen.findByText('Ready', {}, SLOW)
    expect(launch.mock.calls[0]?.[0]).toMatchObject({
      text: expect.stringMatching(/^vllm serve/) as string,
      secrets: [
        { name: 'HF_TOKEN', value: 'hf_abcdefghijkl' },
        { name: 'VLLM_API_KEY', value: 'topsecretkey' },
      ],
    })
    expect(within(screen.getByRole('list', { name: 'Start-up phases' })).getAllByRole('listitem')).toHaveLength(7)
    expect(screen.getByText('1,250,000 tokens', { selector: 'dd' })).toBeTruthy()
    expect(document.body.textContent).not.toMatch(/hf_abc|topsecret/)
    await waitFor(() => {
      expect(written.text).toContain('Avg generation throughput')
    }, SLOW)
    expect(written.text).toContain('<img src=x')
    fireEvent.click(screen.getByRole('button', { name: 'Plan a sweep' }))
    expect(window.location.hash).toMatch(/^#\/sweep\?host=gpu-lab-1&server=srv-/)
  })

  it('says why it failed, and editing begins with what was written, secrets too', async () => {
    const { text } = await compose('HF_TOKEN=hf_abcdefghijkl vllm serve org/fail')
    await waitFor(() => {
      expect(screen.getByRole('button', { name: /^Launch/ }).hasAttribute('disabled')).toBe(false)
    }, SLOW)
    fireEvent.keyDown(text, { key: 'Enter', ctrlKey: true })
    await screen.findByText(/The KV cache does not fit/, {}, SLOW)
    expect(screen.getByText(/ValueError: To serve at least one request/)).toBeTruthy()
    expect(screen.getByText(/Lower --max-model-len to 98,304/)).toBeTruthy()
    fireEvent.click(screen.getAllByRole('button', { name: 'Edit and try again' })[0] ?? document.body)
    expect((await field()).value).toBe('vllm serve org/fail')
    expect(input('HF_TOKEN').value).toBe('hf_abcdefghijkl')
  })
})

describe('a running server', () => {
  it('is stopped in two steps, and shows the proof', async () => {
    renderApp({ route: '#/launch?host=gpu-lab-1&server=srv-qwen-1' })
    fireEvent.click(await screen.findByRole('button', { name: 'Stop' }, SLOW))
    fireEvent.click(await screen.findByRole('button', { name: 'Stop the server' }))
    await screen.findByText('Stopped, and nothing is left', {}, SLOW)
    expect(screen.getByText('Its port is free.')).toBeTruthy()
    expect(screen.getByText(/GPU 0: 128 GiB in use before, 4\.0 MiB after/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Plan a sweep' })).toBeNull()
  })

  it('of somebody else is adopted by its port, and never stopped', async () => {
    await compose()
    fireEvent.click(await screen.findByRole('button', { name: 'Adopt' }, SLOW))
    const dialog = within(await screen.findByRole('dialog', {}, SLOW))
    fireEvent.change(dialog.getByLabelText(/Port/), { target: { value: '70000' } })
    expect(dialog.getByText('A number from 1 to 65535.')).toBeTruthy()
    expect(dialog.getByRole('button', { name: 'Adopt' }).hasAttribute('disabled')).toBe(true)
    fireEvent.change(dialog.getByLabelText(/Port/), { target: { value: '9000' } })
    fireEvent.click(dialog.getByRole('button', { name: 'Adopt' }))
    await screen.findByText(/whoever started it decided where it goes/, {}, SLOW)
    expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull()
    expect(screen.getByRole('button', { name: 'Plan a sweep' })).toBeTruthy()
  })
})
