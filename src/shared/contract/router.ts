import { z } from 'zod'
import { hostNameSchema } from '../model/host.ts'
import * as app from './app.ts'
import * as hosts from './hosts.ts'
import * as prompts from './prompts.ts'
import * as reports from './reports.ts'
import * as runs from './runs.ts'
import * as servers from './servers.ts'
import * as sweeps from './sweeps.ts'
import { procedure, router, type RouterContext } from './trpc.ts'

/** A subscription: values of an iterable until it ends or the caller leaves, none before the reader has taken those before it. */
async function* relay<Value>(ctx: RouterContext, values: AsyncIterable<Value>): AsyncGenerator<Value, void, unknown> {
  const leave = ctx.calls?.enter()
  try {
    for await (const value of values) {
      yield value
      await ctx.drained?.()
    }
  } finally {
    leave?.()
  }
}

const leave = (signal: AbortSignal | undefined) => signal ?? new AbortController().signal
const keptInput = z.strictObject({ name: hostNameSchema, path: z.string().max(4096) })
const keptHostInput = z.strictObject({ name: hostNameSchema })

/** Every procedure of the contract. Adding one: its input and output in the domain's file, a line here, its service in `main/engine/api`. */
export const appRouter = router({
  app: router({
    info: procedure.query(({ ctx }) => ctx.api.app.info()),
    settings: procedure.query(({ ctx }) => ctx.api.app.settings()),
    changeSettings: procedure.input(app.changeSettingsInput).mutation(({ ctx, input }) => ctx.api.app.changeSettings(input)),
    knownHosts: procedure.query(({ ctx }) => ctx.api.app.knownHosts()),
    removeKnownHost: procedure.input(app.removeHostKeyInput).mutation(({ ctx, input }) => ctx.api.app.removeKnownHost(input)),
    keptOnHost: procedure.input(keptHostInput).query(({ ctx, input }) => ctx.api.app.keptOnHost(input)),
    removeKeptOnHost: procedure.input(keptInput).mutation(({ ctx, input }) => ctx.api.app.removeKeptOnHost(input)),
    diagnostics: procedure.query(({ ctx }) => ctx.api.app.diagnostics()),
    startDemo: procedure.input(app.demoInput).mutation(({ ctx, input }) => ctx.api.app.startDemo(input)),
    stopDemo: procedure.mutation(({ ctx }) => ctx.api.app.stopDemo()),
    watchDemo: procedure.subscription(({ ctx, signal }) => relay(ctx, ctx.api.app.watchDemo(leave(signal)))),
  }),
  hosts: router({
    watch: procedure.subscription(({ ctx, signal }) => relay(ctx, ctx.api.hosts.watch(leave(signal)))),
    configAliases: procedure.query(({ ctx }) => ctx.api.hosts.configAliases()),
    add: procedure.input(hosts.addHostInput).mutation(({ ctx, input }) => ctx.api.hosts.add(input)),
    remove: procedure.input(hosts.hostNameInput).mutation(({ ctx, input }) => ctx.api.hosts.remove(input)),
    restore: procedure.input(hosts.hostNameInput).mutation(({ ctx, input }) => ctx.api.hosts.restore(input)),
    readKey: procedure.input(hosts.hostNameInput).query(({ ctx, input }) => ctx.api.hosts.readKey(input)),
    trust: procedure.input(hosts.trustHostInput).mutation(({ ctx, input }) => ctx.api.hosts.trust(input)),
    connect: procedure.input(hosts.hostNameInput).mutation(({ ctx, input }) => ctx.api.hosts.connect(input)),
    doctor: procedure
      .input(hosts.hostNameInput)
      .subscription(({ ctx, input, signal }) => relay(ctx, ctx.api.hosts.doctor(input, leave(signal)))),
  }),
  prompts: router({
    watch: procedure.subscription(({ ctx, signal }) => relay(ctx, ctx.api.prompts.watch(leave(signal)))),
    answer: procedure.input(prompts.answerPromptInput).mutation(({ ctx, input }) => ctx.api.prompts.answer(input)),
  }),
  servers: router({
    list: procedure.input(servers.hostOnlyInput).query(({ ctx, input }) => ctx.api.servers.list(input)),
    parse: procedure.input(servers.commandInput).query(({ ctx, input }) => ctx.api.servers.parse(input)),
    launch: procedure.input(servers.launchInput).mutation(({ ctx, input }) => ctx.api.servers.launch(input)),
    cancelLaunch: procedure.input(servers.launchIdInput).mutation(({ ctx, input }) => ctx.api.servers.cancelLaunch(input)),
    launches: procedure.query(({ ctx }) => ctx.api.servers.launches()),
    watchLaunch: procedure
      .input(servers.launchIdInput)
      .subscription(({ ctx, input, signal }) => relay(ctx, ctx.api.servers.watchLaunch(input, leave(signal)))),
    log: procedure
      .input(servers.logInput)
      .subscription(({ ctx, input, signal }) => relay(ctx, ctx.api.servers.log(input, leave(signal)))),
    stop: procedure.input(servers.serverRefInput).mutation(({ ctx, input }) => ctx.api.servers.stop(input)),
    adopt: procedure.input(servers.adoptInput).mutation(({ ctx, input }) => ctx.api.servers.adopt(input)),
    savedLaunches: procedure.query(({ ctx }) => ctx.api.servers.savedLaunches()),
    saveLaunch: procedure.input(servers.saveLaunchInput).mutation(({ ctx, input }) => ctx.api.servers.saveLaunch(input)),
    removeLaunch: procedure.input(servers.savedLaunchIdInput).mutation(({ ctx, input }) => ctx.api.servers.removeLaunch(input)),
  }),
  sweeps: router({
    dryRun: procedure.input(sweeps.sweepInput).mutation(({ ctx, input }) => ctx.api.sweeps.dryRun(input)),
    start: procedure.input(sweeps.sweepInput).mutation(({ ctx, input }) => ctx.api.sweeps.start(input)),
    resume: procedure.input(sweeps.runIdInput).mutation(({ ctx, input }) => ctx.api.sweeps.resume(input)),
    control: procedure.input(sweeps.controlInput).mutation(({ ctx, input }) => ctx.api.sweeps.control(input)),
    watch: procedure
      .input(sweeps.runIdInput)
      .subscription(({ ctx, input, signal }) => relay(ctx, ctx.api.sweeps.watch(input, leave(signal)))),
  }),
  runs: router({
    watch: procedure.subscription(({ ctx, signal }) => relay(ctx, ctx.api.runs.watch(leave(signal)))),
    list: procedure.input(runs.listRunsInput).query(({ ctx, input }) => ctx.api.runs.list(input)),
    row: procedure.input(sweeps.runIdInput).query(({ ctx, input }) => ctx.api.runs.row(input)),
    choices: procedure.input(runs.choicesInput).query(({ ctx, input }) => ctx.api.runs.choices(input)),
    document: procedure.input(sweeps.runIdInput).query(({ ctx, input }) => ctx.api.runs.document(input)),
    cell: procedure.input(runs.cellInput).query(({ ctx, input }) => ctx.api.runs.cell(input)),
    telemetry: procedure.input(sweeps.runIdInput).query(({ ctx, input }) => ctx.api.runs.telemetry(input)),
    rename: procedure.input(runs.renameRunInput).mutation(({ ctx, input }) => ctx.api.runs.rename(input)),
    tag: procedure.input(runs.tagRunInput).mutation(({ ctx, input }) => ctx.api.runs.tag(input)),
    note: procedure.input(runs.noteRunInput).mutation(({ ctx, input }) => ctx.api.runs.note(input)),
    trash: procedure.input(runs.trashRunsInput).mutation(({ ctx, input }) => ctx.api.runs.trash(input)),
  }),
  reports: router({
    render: procedure.input(reports.reportInput).query(({ ctx, input }) => ctx.api.reports.render(input)),
    write: procedure.input(reports.writeReportInput).mutation(({ ctx, input }) => ctx.api.reports.write(input)),
  }),
})

export type AppRouter = typeof appRouter
