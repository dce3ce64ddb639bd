// `npm test`: everything this machine can run. Brings what it needs from Debian's packages when it is root, runs the suites one
// after the other, lists plainly what was skipped and why, and ends with the sum over all suites.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findElectron } from '../bin/find-electron.mjs'
import { build } from './build.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const skipped = []
const secondTry = []
const totals = { passed: 0, failed: 0, skipped: 0 }

function installFromDebian(what, executable, packageName) {
  if (existsSync(executable)) return
  const isRoot = process.getuid?.() === 0
  if (!isRoot || !existsSync('/usr/bin/apt-get')) {
    skipped.push(`${what}: ${executable} is missing and this account can't install Debian's ${packageName}`)
    return
  }
  console.log(`Installing Debian's ${packageName} …`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const install = () =>
    spawnSync('apt-get', ['install', '-y', '-qq', packageName], { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
  if (install()) return
  spawnSync('apt-get', ['update', '-qq'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  if (!install()) skipped.push(`${what}: Debian's ${packageName} could not be installed`)
}

function runSuite(name, config) {
  console.log(`\n── ${name} ──`)
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-test-'))
  const report = join(folder, 'report.json')
  try {
    const vitestArguments = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      config,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ]
    const { status } = spawnSync(process.execPath, vitestArguments, { cwd: root, stdio: 'inherit' })
    const result = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined
    if (!result || result.numTotalTests === 0) {
      console.log(`${name}: the runner reported no test at all`)
      totals.failed += 1
      return
    }
    totals.passed += result.numPassedTests
    totals.failed += result.numFailedTests
    totals.skipped += result.numPendingTests + result.numTodoTests
    for (const file of result.testResults) {
      for (const test of file.assertionResults) {
        if (test.status === 'pending' || test.status === 'skipped') skipped.push(`${name}: ${test.fullName}`)
        const [first] = test.status === 'passed' ? test.failureMessages : []
        if (first !== undefined) secondTry.push(`${name}: ${test.fullName} (at first: ${first.split('\n')[0]})`)
      }
      // A file that could not even be loaded has no failed test of its own.
      if (file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed')) totals.failed += 1
    }
    if (status !== 0 && totals.failed === 0) totals.failed += 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const isDisplayThere = () => Boolean(process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY) || process.platform !== 'linux'

/** Which of the two front doors can be driven here; the others are listed as skipped. */
function browserProjects() {
  const projects = []
  if (existsSync(process.env.SPEEDGRID_CHROMIUM ?? '/usr/bin/chromium')) projects.push('page')
  else skipped.push('page: no Chromium at /usr/bin/chromium (SPEEDGRID_CHROMIUM names another)')
  const electron = findElectron()
  if (electron === undefined) skipped.push('window: no Electron is installed and SPEEDGRID_ELECTRON names none')
  else if (!isDisplayThere() && !existsSync('/usr/bin/xvfb-run')) skipped.push('window: no display and no xvfb-run')
  else projects.push('window')
  return projects
}

function* specsOf(suite) {
  for (const spec of suite.specs ?? []) yield spec
  for (const inner of suite.suites ?? []) yield* specsOf(inner)
}

/** The specs of one project, through playwright's own JSON report. */
function runBrowserSuite(project) {
  const name = `${project} (end to end)`
  console.log(`\n── ${name} ──`)
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-test-'))
  const report = join(folder, 'report.json')
  try {
    const words = [
      process.execPath,
      'node_modules/@playwright/test/cli.js',
      'test',
      `--project=${project}`,
      '--reporter=list,json',
    ]
    if (project === 'window' && !isDisplayThere()) words.unshift('xvfb-run', '-a')
    const [command, ...rest] = words
    const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: report }
    const { status } = spawnSync(command, rest, { cwd: root, stdio: 'inherit', env })
    const result = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { suites: [], errors: [] }
    let count = 0
    let failed = result.errors.length
    for (const spec of result.suites.flatMap((suite) => [...specsOf(suite)])) {
      for (const test of spec.tests) {
        count += 1
        if (test.status === 'skipped') {
          totals.skipped += 1
          const why = test.annotations.find((note) => note.type === 'skip')?.description
          skipped.push(`${name}: ${spec.file} ${spec.title}${why === undefined ? '' : ` (${why})`}`)
        } else if (test.status === 'unexpected') {
          failed += 1
        } else {
          totals.passed += 1
          if (test.status === 'flaky') secondTry.push(`${name}: ${spec.file} ${spec.title}`)
        }
      }
    }
    if (count === 0) console.log(`${name}: the runner reported no test at all`)
    if (failed === 0 && (count === 0 || status !== 0)) failed = 1
    totals.failed += failed
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

installFromDebian('tests over a real sshd', '/usr/sbin/sshd', 'openssh-server')
installFromDebian('reports in a real browser', '/usr/bin/chromium', 'chromium')
if (process.platform === 'linux' && findElectron() !== undefined && !isDisplayThere()) {
  installFromDebian('the window without a display', '/usr/bin/xvfb-run', 'xvfb')
}
await build({ quiet: true })

runSuite('unit', 'vitest.config.ts')
runSuite('parts with real processes', 'vitest.parts.config.ts')
runSuite('whole program', 'vitest.e2e.config.ts')
if (process.env.SPEEDGRID_VLLM) runSuite('real vLLM over a real sshd', 'vitest.vllm.config.ts')
else skipped.push('real vLLM over a real sshd: SPEEDGRID_VLLM names no vllm executable')
for (const project of browserProjects()) runBrowserSuite(project)

if (secondTry.length > 0) {
  console.log('\nPassed at the second try only:')
  for (const line of secondTry) console.log(`  - ${line}`)
}
if (skipped.length > 0) {
  console.log('\nSkipped:')
  for (const line of skipped) console.log(`  - ${line}`)
}
console.log(`\n${totals.passed} passed, ${totals.failed} failed${totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''}`)
process.exit(totals.failed === 0 ? 0 : 1)
