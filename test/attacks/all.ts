import type { Attack } from './attack.ts';
import { poisoning } from './t01-poisoning.ts';
import { fullMemory } from './t02-full-memory.ts';
import { rugPull } from './t02-rug-pull.ts';
import { waiting } from './t02-waiting.ts';
import { shadowing } from './t03-shadowing.ts';
import { lineJumping } from './t04-line-jumping.ts';
import { results } from './t05-results.ts';
import { crossFlows } from './t06-flows.ts';
import { laundering } from './t07-laundered-intent.ts';
import { passthrough } from './t08-passthrough.ts';
import { serverTokens } from './t08-server-tokens.ts';
import { hostileLogIn } from './t09-log-in.ts';
import { metadata } from './t09-metadata.ts';
import { addresses } from './t10-addresses.ts';
import { fetchedUrls } from './t11-fetched-urls.ts';
import { commands } from './t12-commands.ts';
import { crossed } from './t13-crossed.ts';
import { secrets } from './t14-secrets.ts';
import { terminal } from './t15-terminal.ts';
import { auditEvasion } from './t16-audit.ts';
import { cutTails } from './t16-cut-tails.ts';
import { evidenceFlushing } from './t16-flush.ts';
import { endless } from './t17-endless.ts';
import { lockOut } from './t17-lock-out.ts';
import { bombs } from './t18-bombs.ts';
import { lossy } from './t19-lossy.ts';
import { prototypes } from './t19-prototypes.ts';
import { slowTexts } from './t20-slow-texts.ts';
import { headers } from './t21-headers.ts';
import { approvalAbuse } from './t22-approvals.ts';
import { imitatedDialogs } from './t22-dialogs.ts';
import { hiddenPayloads } from './t22-hidden.ts';
import { readablePayloads } from './t22-readable.ts';
import { forgedRows } from './t23-forged-rows.ts';
import { configEdits } from './t23-config-edits.ts';
import { loggedOut } from './t24-log-out.ts';

export const ATTACKS: readonly Attack[] = [
  poisoning,
  rugPull,
  waiting,
  fullMemory,
  shadowing,
  lineJumping,
  results,
  crossFlows,
  laundering,
  passthrough,
  serverTokens,
  metadata,
  hostileLogIn,
  addresses,
  fetchedUrls,
  commands,
  crossed,
  secrets,
  terminal,
  auditEvasion,
  cutTails,
  evidenceFlushing,
  endless,
  lockOut,
  bombs,
  prototypes,
  lossy,
  slowTexts,
  headers,
  approvalAbuse,
  hiddenPayloads,
  readablePayloads,
  forgedRows,
  configEdits,
  imitatedDialogs,
  loggedOut,
];
