import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { callOnce, memoryOf, percentile, timeGood } from '../faults/calls.ts';
import { fixture, startHttpFixture } from '../fixtures/start.ts';
import type { Attack, Tally } from './attack.ts';
