import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { METHOD } from './process-usage.ts';

export interface Machine {
  processor: string;
  cores: number;
  memoryGb: number;
  system: string;
  node: string;
  loadAverage: number[];
  cpuTimeFrom: string;
}

export function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    loadAverage: loadavg().map((value) => Math.round(value * 100) / 100),
    cpuTimeFrom: METHOD,
  };
}

export function machineLines(machine: Machine): string {
  const { processor, cores, memoryGb, system, node, loadAverage, cpuTimeFrom } = machine;
  return [
    `machine    ${processor}, ${cores} cores, ${memoryGb} GB, ${system}`,
    `node       ${node}`,
    `load       ${loadAverage.join(' ')} (1, 5 and 15 minutes, before the run)`,
    `CPU time   ${cpuTimeFrom}; of the process in the middle, without the upstream and the load generator`,
  ].join('\n');
}
