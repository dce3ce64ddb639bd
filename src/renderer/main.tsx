import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import './styles/tokens.css'
import './styles/base.css'
import { createRoot } from 'react-dom/client'
import { z } from 'zod'
import { Root } from './app/root.tsx'
import { offerNonce, readNonce } from './app/style-nonce.ts'
import { createAppState } from './state/app-state.ts'
import { createShell } from './state/shell.ts'
import { createLink } from './state/trpc.ts'

// The content security policy forbids the generated validators.
z.config({ jitless: true })

const bridge = window.speedgrid
const link = createLink({ bridge, location: window.location })
const app = createAppState({ link, shell: createShell(bridge) })
const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
const styleNonce = readNonce(document)
offerNonce(styleNonce)
createRoot(root).render(<Root app={app} styleNonce={styleNonce} />)
