import type { DoctorCheck, HostsService } from '../types.ts'

export type Verdict = Omit<DoctorCheck, 'check'>
export type HostKey = Awaited<ReturnType<HostsService['readHostKey']>>
