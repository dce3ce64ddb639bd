#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isNewEnough, runWithNode } from './node24.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const cli = `${root}out/main/cli.js`

if (isNewEnough()) {
  // In a checkout the bundles are made when they are missing or older than the sources; an installed package carries them.
  if (existsSync(`${root}src`)) await (await import('../scripts/build.mjs')).buildIfStale({ quiet: true })
  await import(pathToFileURL(cli).href)
} else {
  runWithNode([fileURLToPath(import.meta.url), ...process.argv.slice(2)])
}
