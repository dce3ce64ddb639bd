import { build } from 'vite'
import { join, resolve } from 'node:path'
import { sshConnector, sshHost } from './real-ssh.ts'
import { createLab, type Lab } from './sweep-lab.ts'

export interface SshLabOptions {
  sshd: { port: number; user: string; clientKeyPath: string }
  /** Home folder of the account that the sshd logs in. */
  homeDir: string
  /** Of another lab, to be its next engine. */
  dataDir?: string
  /** Of the model server. */
  port: number
  driverPath: string
}

/** A lab whose host is reached through a real sshd, with the driver as it ships. */
export async function createSshLab(options: SshLabOptions): Promise<Lab> {
  const { sshd, homeDir, dataDir, port, driverPath } = options
  const ssh = sshConnector(homeDir)
  const link = await ssh.connect(sshHost(sshd))
  const lab = await createLab({ link, homeDir, port, driverPath, known: {}, ...(dataDir === undefined ? {} : { dataDir }) })
  const dispose = async () => {
    try {
      await lab.dispose()
    } finally {
      await ssh.dispose()
    }
  }
  return { ...lab, dispose }
}

/** Builds the driver's bundle into a folder; returns its path. */
export async function buildDriver(outDir: string): Promise<string> {
  const configFile = resolve(import.meta.dirname, '../vite.driver.config.ts')
  await build({ root: resolve(configFile, '..'), configFile, logLevel: 'error', build: { outDir } })
  return join(outDir, 'driver.mjs')
}
