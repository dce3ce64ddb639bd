import { resolve } from 'node:path'
import { defineConfig } from 'vite'

// The driver is sent to hosts as one file and runs on whatever Node ≥ 20 is there, so nothing of it may live in a shared chunk.
export default defineConfig({
  build: {
    ssr: resolve(import.meta.dirname, 'src/main/driver/main.ts'),
    outDir: 'out/driver',
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    rollupOptions: { output: { format: 'es', entryFileNames: 'driver.mjs', codeSplitting: false } },
  },
  ssr: { noExternal: true, target: 'node' },
})
