import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// One bundle for both front doors. chrome114 is the Chromium of the oldest Electron the shell is tested in.
export default defineConfig({
  root: resolve(import.meta.dirname, 'src/renderer'),
  base: './',
  plugins: [react()],
  build: {
    outDir: resolve(import.meta.dirname, 'out/renderer'),
    emptyOutDir: true,
    target: 'chrome114',
    cssTarget: 'chrome114',
    // The page's CSP allows no data: scripts or styles; small pictures stay files too.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Read from this machine's disk, charts only when they are shown.
    chunkSizeWarningLimit: 700,
  },
})
