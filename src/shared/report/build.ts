import type { RunDocument } from '../model/run.ts'
import { writeWords } from '../command/quote.ts'
import { homeAsVariable, unwatchedText } from '../format/index.ts'
import { countsText } from '../run/index.ts'
import { redactCommand, redactText, redactWords } from '../secrets/index.ts'
import { conductRows } from './conduct.ts'
import { engineLine, engineRows, gridLine, modelName, runRows } from './engine.ts'
import { extraTables } from './extras.ts'
import { doubtsTable } from './flags.ts'
import { hardwareTexts } from './hardware.ts'
import { buildMatrix, buildPrefill } from './matrix.ts'
import { measurementsTable } from './measurements.ts'
import { logExcerpts, reasonsTable } from './reasons.ts'
import { MEASUREMENTS_NOTE, statusNotes, ttftNote } from './statuses.ts'
import type { ReportModel } from './types.ts'

export const DEMO_LABEL = 'Demo lab machine — simulated figures'

export const isDemo = (run: RunDocument): boolean => run.demo || run.engine?.demo === true

/** A run as everything a report shows; pure, so that a preview and an export can't differ. */
export function buildReport(run: RunDocument): ReportModel {
  const hardware = hardwareTexts(run)
  const matrix = buildMatrix(run)
  const prefill = buildPrefill(run)
  return {
    title: 'Speed test matrix',
    heading: hardware.title === undefined ? modelName(run) : `${modelName(run)} on ${hardware.title}`,
    ...(isDemo(run) ? { demoLabel: DEMO_LABEL } : {}),
    ...(run.state === 'finished' ? {} : { stateLabel: stateLabel(run) }),
    engineLine: engineLine(run),
    gridLine: gridLine(
      matrix.contexts,
      matrix.levels,
      prefill.map((entry) => entry.contextTokens),
    ),
    hardware: hardware.rows,
    engine: engineRows(run),
    run: runRows(run),
    ...(run.launchCommand === undefined ? {} : { launchCommand: redactCommand(run.launchCommand) }),
    prefill,
    matrix,
    statusNotes: statusNotes(run),
    ttftNote: ttftNote(run.plan.promptMode),
    measurementsNote: MEASUREMENTS_NOTE,
    measurements: measurementsTable(run),
    doubts: doubtsTable(run),
    reasons: reasonsTable(run),
    logs: logExcerpts(run),
    tables: extraTables(run),
    conduct: conductRows(run),
    moreHardware: hardware.more,
    ...(run.startedArgv === undefined ? {} : { startedCommand: homeAsVariable(writeWords(redactWords(run.startedArgv))) }),
    ...(run.requestTemplate === undefined ? {} : { requestTemplate: redactText(JSON.stringify(run.requestTemplate, null, 2)) }),
    ...(run.note === undefined || run.note === '' ? {} : { note: run.note }),
  }
}

function stateLabel(run: RunDocument): string {
  const reason = run.reason === undefined ? '' : `: ${redactText(run.reason)}`
  const unwatched = unwatchedText({ state: run.state, unwatched: run.unwatched, place: run.path.driver, host: run.host?.name })
  return `This run is ${unwatched ?? run.state}${reason} (${countsText(run.cells)})`
}
