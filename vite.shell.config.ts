import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { defineConfig } from 'vite'

// The window's shell and its preload script, each one CommonJS file that runs on Electron 25 (Node 18) as well as on today's:
// ES modules in Electron's main process came with 28, and a sandboxed preload can't load a second file.
const BUNDLES = {
  shell: { entry: 'src/main/shell/main.ts', outDir: 'out/main', file: 'shell.cjs' },
  preload: { entry: 'src/preload/index.ts', outDir: 'out/preload', file: 'index.cjs' },
}

/** Of the bundles that a package keeps outside its archive; they are built before this one (scripts/build.mjs). */
function bundleSums(): Record<string, string> {
  const root = import.meta.dirname
  const files = ['out/main', 'out/driver'].flatMap((folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
          (name) => `${folder}/${name.replaceAll('\\', '/')}`,
        )
      : [],
  )
  const code = files.filter((path) => /\.m?js$/.test(path)).toSorted()
  return Object.fromEntries(
    code.map((path) => [
      path,
      createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest('hex'),
    ]),
  )
}

/** `--mode shell` or `--mode preload`. */
export default defineConfig(({ mode }) => {
  const { entry, outDir, file } = mode === 'preload' ? BUNDLES.preload : BUNDLES.shell
  return {
    publicDir: false,
    define: mode === 'shell' ? { BUNDLE_SUMS: JSON.stringify(bundleSums()) } : {},
    build: {
      ssr: resolve(import.meta.dirname, entry),
      outDir: resolve(import.meta.dirname, outDir),
      // out/main has the engine's bundles too.
      emptyOutDir: mode === 'preload',
      target: 'node18',
      minify: false,
      rollupOptions: {
        external: ['electron', 'bufferutil', 'utf-8-validate'],
        output: { format: 'cjs', entryFileNames: file, codeSplitting: false },
      },
    },
    ssr: { noExternal: true, external: ['electron'], target: 'node' },
  }
})
