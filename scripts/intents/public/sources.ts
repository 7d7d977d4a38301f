import { basename, join } from 'node:path';
import { alternatives, filesBelow, read, readHass, readLu, readRasa, type Said } from './formats.ts';
import { bots, clinc, home, skills, talk, voice, type Labelling } from './labels.ts';

/** How the sentences of one public repository are found in a clone of it, and what they count as. */
export interface Source {
  repository: string;
  licence: string;
  sentences: (clone: string) => Said[];
  label: Labelling;
  /** Two fifths of it are for measuring, so they are not learned from. */
  measured?: boolean;
}

/** Rows of "[sentence, intent]" below the name of each part. */
function fromClinc(clone: string): Said[] {
  const parts = JSON.parse(read(join(clone, 'data/data_full.json'))) as Record<
    string,
    Array<[string, string]>
  >;
  return Object.values(parts).flatMap((rows) => rows.map(([text, intent]) => ({ text, intent })));
}

/** Two of its three parts: enough, and the third stays for others to measure on. */
function fromSlurp(clone: string): Said[] {
  return filesBelow(join(clone, 'dataset/slurp'), /(?:devel|test)\.jsonl$/).flatMap((file) =>
    read(file)
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const { sentence, intent } = JSON.parse(line) as { sentence: string; intent: string };
        return { text: sentence, intent };
      }),
  );
}

/** The test parts of all ten folds are the whole. The last column is what was typed, the one before it is cleaned up. */
function fromHwu(clone: string): Said[] {
  return filesBelow(join(clone, 'CrossValidation'), /testset\/csv\/\w+\.csv$/).flatMap((file) =>
    read(file)
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const [, scenario, intent, , text] = line.split(';').map((cell) => cell.trim().replace(/^"|"$/g, ''));
        return text ? [{ text, intent: `${scenario}_${intent}` }] : [];
      }),
  );
}

const LU_ROOT = 'templates/typescript/samples/sample-assistant/deployment/resources';
function fromBotFramework(clone: string): Said[] {
  return filesBelow(join(clone, LU_ROOT), /en-us\/\w+\.lu$/).flatMap((file) =>
    readLu(read(file)).map(({ intent, text }) => ({ text, intent: `${basename(file, '.lu')}.${intent}` })),
  );
}

function fromHomeAssistant(clone: string): Said[] {
  return filesBelow(join(clone, 'tests/en'), /\.yaml$/).flatMap((file) => readHass(read(file)));
}

const FILLED: ReadonlyArray<[RegExp, string]> = [
  [/@todos/g, 'apples and a new lamp'],
  [/@list list/g, 'shopping list'],
];
function fromLeon(clone: string): Said[] {
  return filesBelow(join(clone, 'skills'), /config\/en\.json$/).flatMap((file) => {
    const { actions } = JSON.parse(read(file)) as {
      actions: Record<string, { utterance_samples?: string[] }>;
    };
    return Object.entries(actions).flatMap(([intent, { utterance_samples = [] }]) =>
      utterance_samples.flatMap(alternatives).flatMap((pattern) => {
        const text = FILLED.reduce((sentence, [from, to]) => sentence.replace(from, to), pattern);
        return text.includes('@') ? [] : [{ intent, text }];
      }),
    );
  });
}

function fromRasa(clone: string): Said[] {
  return filesBelow(clone, /\/nlu\.yml$/).flatMap((file) => readRasa(read(file)));
}

/** "text,category" with quotation marks where the text has commas. */
function fromBanking(clone: string): Said[] {
  return filesBelow(join(clone, 'banking_data'), /(?:train|test)\.csv$/).flatMap((file) =>
    read(file)
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const [, quoted, plain, intent] = /^(?:"((?:[^"]|"")*)"|([^,]*)),(.+)$/.exec(line.trim()) ?? [];
        const text = quoted?.replaceAll('""', '"') ?? plain;
        return text && intent ? [{ text, intent }] : [];
      }),
  );
}

function fromSnips(clone: string): Said[] {
  return filesBelow(join(clone, '2017-06-custom-intent-engines'), /validate_\w+\.json$/).flatMap((file) => {
    const parts = JSON.parse(read(file)) as Record<string, Array<{ data: Array<{ text: string }> }>>;
    return Object.entries(parts).flatMap(([intent, rows]) =>
      rows.map(({ data }) => ({ intent, text: data.map(({ text }) => text).join('') })),
    );
  });
}

export const SOURCES: Readonly<Record<string, Source>> = {
  clinc: {
    repository: 'clinc/oos-eval',
    licence: 'CC BY 3.0',
    sentences: fromClinc,
    label: clinc,
    measured: true,
  },
  slurp: {
    repository: 'pswietojanski/slurp',
    licence: 'CC BY 4.0 (text)',
    sentences: fromSlurp,
    label: voice,
  },
  hwu: { repository: 'xliuhw/NLU-Evaluation-Data', licence: 'CC BY 4.0', sentences: fromHwu, label: voice },
  bots: {
    repository: 'microsoft/botframework-solutions',
    licence: 'MIT',
    sentences: fromBotFramework,
    label: bots,
  },
  home: {
    repository: 'home-assistant/intents',
    licence: 'CC BY 4.0',
    sentences: fromHomeAssistant,
    label: home,
  },
  leon: { repository: 'leon-ai/leon', licence: 'MIT', sentences: fromLeon, label: skills },
  rasa: { repository: 'RasaHQ/NLU-training-data', licence: 'Apache-2.0', sentences: fromRasa, label: talk },
  banking: {
    repository: 'PolyAI-LDN/task-specific-datasets',
    licence: 'CC BY 4.0',
    sentences: fromBanking,
    label: talk,
  },
  snips: { repository: 'sonos/nlu-benchmark', licence: 'CC0 1.0', sentences: fromSnips, label: talk },
};
