import { SpeedgridError } from '../../shared/model/error.ts'
import { runDriver } from './run/run-driver.ts'
import { DRIVER_VERSION } from './version.ts'

async function main(): Promise<number> {
  const [folder] = process.argv.slice(2)
  if (folder === '--version') {
    process.stdout.write(`speedgrid-driver ${DRIVER_VERSION}\n`)
    return 0
  }
  if (folder === undefined || folder.startsWith('-')) {
    process.stderr.write('usage: driver.mjs RUNFOLDER | --version\n')
    return 2
  }
  try {
    return await runDriver(folder)
  } catch (error) {
    const lines = error instanceof SpeedgridError ? [error.message, ...error.evidence, error.nextStep ?? ''] : [String(error)]
    process.stderr.write(`speedgrid-driver: ${lines.filter((line) => line !== '').join('\n  ')}\n`)
    return 1
  }
}

process.exitCode = await main()
// Sockets of a server that hangs must not keep a finished driver alive.
process.exit()
