import { resolve } from 'node:path'
import { defineConfig } from 'electron-vite'

const entry = (path: string) => resolve(import.meta.dirname, 'src/main', path)

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      rollupOptions: {
        input: {
          cli: entry('cli/main.ts'),
          'engine-host': entry('engine/host-main.ts'),
          'demo-host': entry('demo-host/main.ts'),
          'stand-in-vllm': entry('demo-host/stand-in/vllm.ts'),
          'stand-in-nvidia-smi': entry('demo-host/stand-in/nvidia-smi.ts'),
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  },
})
