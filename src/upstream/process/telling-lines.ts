const MAX_LINES = 3;
const MAX_LENGTH = 300;
/** Lines below this score say little about a failure. */
const TELLING = 30;

/** What a line of stderr says about a failure: the first pattern that matches gives its score. Lines come from programs of other people. */
const SCORES: ReadonlyArray<readonly [score: number, pattern: RegExp]> = [
  // Noise that mentions errors without naming one.
  [
    -10,
    /^\s+at |^\s*File ".*", line \d|^Traceback \(most recent|^\s*[\^~]+\s*$|^node:internal|^Node\.js v\d|^goroutine \d/,
  ],
  [
    -10,
    /complete log of this run|debug-\d+\.log|new release of pip|new (?:major|minor|patch) version of npm|run `npm fund`|also install from a|tarball, folder/i,
  ],
  [-10, /^\s*(?:throw |raise |\}|\]|code: '|requireStack: )/],
  [
    -5,
    /\bnpm warn\b|^\s*\[?(?:warn(?:ing)?|info|debug|notice|trace)\]?\b|^time="[^"]*" level=(?:info|debug)|^hint: /i,
  ],
  // A program, module, file, package or image that is not there.
  [
    100,
    /command not found|executable file not found|: not found$|No module named|Cannot find (?:module|package)|could not determine executable/i,
  ],
  [
    95,
    /\bENOENT\b|No such file or directory|not found in the package registry|No matching distribution|\bE404\b|404 Not Found|could not be found/i,
  ],
  [
    95,
    /pull access denied|manifest unknown|repository does not exist|Unable to access jarfile|package .* is not in/i,
  ],
  // A setting that is missing, and rights that are missing.
  [
    94,
    /\b(?:is|are) (?:required|not set|missing)\b|\bmust be set\b|\bmissing required\b|required (?:environment|argument|option)|please set\b/i,
  ],
  [
    93,
    /environment variable|\b(?:api|access) (?:key|token)\b.*\b(?:invalid|missing|required)|unrecognized arguments?|unknown (?:option|flag)/i,
  ],
  [92, /\bEACCES\b|\bEPERM\b|permission denied|operation not permitted|access is denied/i],
  // The network and its certificates.
  [
    91,
    /self[- ]signed certificate|CERTIFICATE_VERIFY_FAILED|unable to (?:get|verify).*(?:certificate|issuer)|invalid peer certificate/i,
  ],
  [
    90,
    /\bEADDRINUSE\b|address already in use|\bECONNREFUSED\b|connection refused|\bENOTFOUND\b|\bEAI_AGAIN\b|could not resolve/i,
  ],
  [
    90,
    /Cannot connect to the Docker daemon|is the docker daemon running|no space left on device|\bENOSPC\b|out of memory/i,
  ],
  // The line that ends a traceback, a panic, or a list of causes.
  [88, /^(?:[A-Za-z_][\w.]*\.)?[A-Za-z_]\w*(?:Error|Exception|Exit|Warning)(?::|$)/],
  [86, /^panic: |^fatal(?: error)?: |^Uncaught |╰─▶|^\s*Caused by:/],
  [60, /^(?:[\w./-]+: )?error\b|^\s*×|\bnpm error (?!code\b)|\bnpm ERR! (?!code\b)/i],
  [
    40,
    /\b(?:errors?|exception|fail(?:ed|ure)?|cannot|can't|could not|unable|denied|refused|invalid|unsupported|fatal|abort(?:ed)?)\b/i,
  ],
];

const COLORS = /\u001b\[[0-9;]*[A-Za-z]/g;

/**
 * The lines of a program's output that best explain why it failed, in their order; the last line if none does. Of two equal lines the
 * later one counts, because the end of an output says what stopped the program.
 */
export function tellingLines(output: readonly string[]): string[] {
  const lines = output
    .map((text) => text.replace(COLORS, '').trimEnd())
    .filter((text) => text.trim() !== '')
    .map((text, at) => ({
      text: text.trim().slice(0, MAX_LENGTH),
      at,
      score: scoreOf(text.slice(0, MAX_LENGTH)),
    }));
  const latest = new Map(lines.filter(({ score }) => score >= TELLING).map((line) => [line.text, line]));
  const best = [...latest.values()].sort((a, b) => b.score - a.score || b.at - a.at).slice(0, MAX_LINES);
  const top = best[0]?.score;
  if (top === undefined) return lastOf(lines);
  // A weak line beside a strong one only distracts.
  return best
    .filter(({ score }) => score >= top - 40)
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text);
}

function scoreOf(text: string): number {
  return SCORES.find(([, pattern]) => pattern.test(text))?.[0] ?? 0;
}

function lastOf(lines: ReadonlyArray<{ text: string; score: number }>): string[] {
  const last = lines.findLast(({ score }) => score >= 0) ?? lines.at(-1);
  return last ? [last.text] : [];
}
