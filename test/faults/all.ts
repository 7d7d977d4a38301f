import type { Attack } from '../attacks/attack.ts';
import { diskFull } from './disk-full.ts';
import { elsewhere } from './elsewhere.ts';
import { exhaustion } from './exhaustion.ts';
import { giants } from './giants.ts';
import { orphans } from './orphans.ts';
import { flood } from './flood.ts';
import { hung } from './isolation.ts';
import { retryStorm } from './retry-storm.ts';
import { slowUpstream } from './slow-upstream.ts';
import { fairness, slowLoris } from './overload.ts';
import { powerLoss } from './power.ts';
import { clockJump } from './clock.ts';
import { leaving } from './leaving.ts';
import { frozen, stall, twoInstances } from './processes.ts';
import { reloading } from './reloading.ts';
import { stdioStorm } from './stdio-storm.ts';
import { stopping } from './stopping.ts';
import { slowReader } from './slow-reader.ts';
import { soak } from './soak.ts';
import { rollback, tampering } from './tampering.ts';
import { crash, crashLoop, garbage, stderrFlood } from './servers.ts';

export const FAULTS: readonly Attack[] = [
  ...elsewhere,
  powerLoss,
  diskFull,
  tampering,
  rollback,
  hung,
  crash,
  crashLoop,
  slowLoris,
  flood,
  slowUpstream,
  retryStorm,
  fairness,
  giants,
  garbage,
  stderrFlood,
  orphans,
  stdioStorm,
  stopping,
  reloading,
  leaving,
  clockJump,
  exhaustion,
  frozen,
  twoInstances,
  stall,
  slowReader,
  soak,
].toSorted((a, b) => a.threat.localeCompare(b.threat));
