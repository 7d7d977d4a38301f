import { parseArgs } from 'node:util';
import type { Attack, Scale } from '../test/attacks/attack.ts';

interface Chosen {
  rows: readonly Attack[];
  scale: Scale;
}

const flag = { type: 'boolean', default: false } as const;
const options = { only: { type: 'string', default: '' }, long: flag, quick: flag, help: flag } as const;

/** What the command line asks for. A wrong row or option ends the process with what is right: to run everything instead takes hours. */
export function chooseRows(all: readonly Attack[], usage: string, otherwise: Scale): Chosen {
  try {
    return readArguments(all, usage, otherwise);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return process.exit(2);
  }
}

function readArguments(all: readonly Attack[], usage: string, otherwise: Scale): Chosen {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) {
    console.log(usage);
    return process.exit(0);
  }
  const names = all.map(({ threat }) => threat);
  const wanted = [...positionals, ...values.only.split(',')].filter((name) => name !== '');
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`There is no row ${unknown.join(', ')}; rows: ${names.join(' ')}`);
  const rows = all.filter(({ threat }) => wanted.length === 0 || wanted.includes(threat));
  return { rows, scale: values.long ? 'full' : values.quick ? 'quick' : otherwise };
}
