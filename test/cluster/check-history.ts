import type { FoundLog, History, SeenCall, SeenRun } from './history.ts';

/** Everything in a history that must not be. */
export function checkHistory(history: History, log: FoundLog): string[] {
  const runs = byNonce(history.runs);
  const calls = byNonce(history.calls);
  return [
    ...history.calls.flatMap((call) => checkAnswer(call, runs.get(call.nonce) ?? [])),
    ...[...calls].flatMap(([nonce, own]) => checkRepeats(own, runs.get(nonce) ?? [], history)),
    ...history.runs.flatMap((run) => checkPolicy(run, calls.get(run.nonce) ?? [], history)),
    ...checkLog(history, log),
  ];
}

function byNonce<T extends { nonce: string }>(all: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(one.nonce, [...(groups.get(one.nonce) ?? []), one]);
  return groups;
}

function checkAnswer({ nonce, tool, outcome, said }: SeenCall, runs: readonly SeenRun[]): string[] {
  if (outcome === 'done' && runs.length === 0) return [`${tool} ${nonce}: acknowledged, but it never ran`];
  // An approved call is repeated with the same nonce; another attempt of it may have run.
  if (outcome === 'refused' && runs.length > 0 && tool !== 'wipe')
    return [`${tool} ${nonce}: it ran, but the answer says that it did not: ${said}`];
  return [];
}

function checkRepeats(
  calls: readonly SeenCall[],
  runs: readonly SeenRun[],
  { approvals }: History,
): string[] {
  const { nonce, tool } = calls[0]!;
  const permitted =
    tool === 'wipe' ? new Set(approvals.filter((one) => one.nonce === nonce).map(({ id }) => id)).size : 1;
  if (runs.length <= permitted) return [];
  return [`${tool} ${nonce}: ran ${runs.length} times, permitted ${permitted} times`];
}

/** A call that began after a policy was acknowledged must not run while the policy is in force. */
function checkPolicy(run: SeenRun, calls: readonly SeenCall[], { policies }: History): string[] {
  const started = Math.min(...calls.map((call) => call.started));
  const broken = policies.find(
    ({ tool, acknowledged, ended }) => tool === run.tool && started > acknowledged && run.at < ended,
  );
  if (!broken) return [];
  return [
    `${run.tool} ${run.nonce}: began ${Math.round(started - broken.acknowledged)} ms after it was forbidden, and ran`,
  ];
}

function checkLog(history: History, { records, problem, missing }: FoundLog): string[] {
  const done = history.calls.filter(({ outcome }) => outcome === 'done');
  const lost = done.filter(({ nonce }) => !records.has(nonce));
  // The record of a read is on disk before its answer, and not before the read.
  const unrecorded = history.runs.filter(({ nonce, tool }) => tool !== 'get' && !records.has(nonce));
  const breaches: string[] = [];
  if (lost.length > 0 && missing === undefined)
    breaches.push(`${lost.length} acknowledged calls have no record, and nobody says so: ${names(lost)}`);
  if (unrecorded.length > 0 && missing === undefined)
    breaches.push(`${unrecorded.length} calls ran without a record: ${names(unrecorded)}`);
  // Entries that the database lost are missing at the end of a chain, or before what was written since. Every other problem was made by a proxy.
  if (problem && !(['truncated', 'gap'].includes(problem.reason) && missing !== undefined))
    breaches.push(`the log does not verify: ${problem.reason}: ${problem.message}`);
  return breaches;
}

const names = (all: ReadonlyArray<{ nonce: string }>) =>
  all
    .slice(0, 5)
    .map(({ nonce }) => nonce)
    .join(', ');
