import { Gauge, History, type LucideIcon, Rocket, Server, Settings, FileText } from 'lucide-react'
import { type ComponentType, lazy, type LazyExoticComponent } from 'react'
import type { Route, ScreenName } from './routes.ts'

interface ScreenEntry {
  name: ScreenName
  title: string
  icon: LucideIcon
  /** Absent: reached from another screen only. */
  key?: string
  route: Route
}

/** The rail, in its order. */
export const SCREENS: readonly ScreenEntry[] = [
  { name: 'hosts', title: 'Hosts', icon: Server, key: '1', route: { screen: 'hosts' } },
  { name: 'launch', title: 'Launch', icon: Rocket, key: '2', route: { screen: 'launch' } },
  { name: 'sweep', title: 'Sweep', icon: Gauge, key: '3', route: { screen: 'sweep' } },
  { name: 'history', title: 'History', icon: History, key: '4', route: { screen: 'history' } },
  { name: 'report', title: 'Report', icon: FileText, key: '5', route: { screen: 'report' } },
  { name: 'settings', title: 'Settings', icon: Settings, key: '6', route: { screen: 'settings' } },
]

/** A screen takes its route and renders itself inside <Screen>. */
export type ScreenProps<Name extends ScreenName> = { route: Extract<Route, { screen: Name }> }
type AnyScreen = LazyExoticComponent<ComponentType<{ route: never }>>

const named = <Module>(load: () => Promise<Module>, key: keyof Module) =>
  lazy(async () => ({ default: (await load())[key] as ComponentType<{ route: never }> }))

/** Each in its own chunk: what isn't opened isn't loaded. */
export const LAZY_SCREENS: Record<ScreenName, AnyScreen> = {
  hosts: named(() => import('../features/hosts/index.tsx'), 'HostsScreen'),
  launch: named(() => import('../features/launch/index.tsx'), 'LaunchScreen'),
  sweep: named(() => import('../features/sweep/index.tsx'), 'SweepScreen'),
  cell: named(() => import('../features/cell/index.tsx'), 'CellScreen'),
  history: named(() => import('../features/history/index.tsx'), 'HistoryScreen'),
  report: named(() => import('../features/report/index.tsx'), 'ReportScreen'),
  settings: named(() => import('../features/settings/index.tsx'), 'SettingsScreen'),
}
