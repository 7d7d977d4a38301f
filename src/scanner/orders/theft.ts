import { wordsOf } from '../read-piece.ts';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Nouns in the name of a tool that harms. */
const NAMED = setOf(
  `
  theft stealing stealer exfiltration exfil exfiltrator sabotage hijack hijacking hijacker fraud tampering forgery jamming infiltration malicious malware ransomware
  phishing covert stealth stealthy unauthorized unauthorised spoofing espionage laundering scam manipulation disruption leak leakage breach
  diversion corruption poisoning interception eavesdropping hack hacking harvesting harvester embezzlement blackmail extortion keylogger
  spyware rootkit backdoor trojan ponzi falsification fabrication misuse scandal defamation obfuscation skimming sniffing evasion bypass
  impersonation counterfeit illegal illicit steal exfiltrate siphon keylog grabber destruction injection interference compromise
  misdirection infringement coercion unlawful quackery malpractice defacement counterfeiting plagiarism fraudulent exploitation misleading deception deceptive spy worm botnet cryptojacking cryptominer`.trim(),
);
/** Of these, what tools against such things are called too, without a verb of defence. */
const AMBIGUOUS = setOf(
  `
  fraud leak leakage breach phishing malware ransomware corruption injection spoofing bypass hack hacking compromise destruction backdoor trojan scam
  scandal illegal interception evasion worm botnet infringement obfuscation fabrication interference disruption plagiarism fraudulent counterfeiting defacement malpractice`.trim(),
);
/** Of these, what a tool against it never leaves unsaid in its description. */
const SAID_IN_DEFENCE = setOf(
  `
  fraud fraudulent leak leakage breach phishing malware ransomware scam trojan hacking counterfeiting plagiarism corruption infringement botnet
  scandal illegal defacement malpractice`.trim(),
);
/** Verbs of harm; alone they may be a fault that the tool finds. */
const HARM = setOf(
  `
  steal stolen harvest harvests harvesting hijack spy spies spying eavesdrop malware backdoor backdoors trojan phishing fraud fraudulent fraudulently launder
  extort impersonate impersonates impersonating forge forges forged fabricate fabricates fabricating fabricated tamper tampers tampering
  tampered corrupt corrupts corrupting infect infects infecting compromise compromises compromising misappropriate divert diverts diverting
  scam scams leak leaks leaking breach breaches intercept intercepts intercepting sniff sniffs sniffing jam jams jamming disrupt disrupts
  disrupting cripple deceive deceives deceiving mislead misleads misleading poison poisons poisoning inject injects injecting hack hacks
  hacking bypass bypasses bypassing manipulate manipulates manipulating manipulation exploit exploits exploiting cheat infiltrate infiltrates
  infiltrating interfere spoofed spoof spoofs surveillance degrade induce inducing impair impairing destroy destroys grab grabs capture captures
  collect collects copies copy upload uploads send sends forward forwards transmits extract extracts log logs record records override
  misuse alter alters altering delete deletes erase`.trim(),
);
/** How it is done: against the will of those whom it concerns. */
const HOW = setOf(
  `
  covert covertly secretly stealth stealthy stealthily discreetly surreptitious surreptitiously unauthorized unauthorised undetected unnoticed
  illegal illegally illicit illicitly illegitimate illegitimately malicious maliciously deceptive deceptively unwitting unsuspecting victim
  victims attacker attackers ransom clandestinely unlawful unethical unethically harmful invisibly hidden concealed`.trim(),
);
/** Verbs that leave no doubt. */
const PLAIN = setOf(
  `
  steals stealing exfiltrates exfiltrating exfiltrate siphons siphoning siphon sabotages sabotaging sabotage hijacks hijacking eavesdrops keylogger keylogs
  ransomware laundering launders blackmail blackmails embezzles defrauds defraud defrauding spyware rootkit falsifies falsifying extorts
  misappropriates infiltrate infiltrates spies steal pilfers`.trim(),
);
/** A tool against such things names them as well. */
const DEFENCE = setOf(
  `
  detect detects detecting detection detector prevent prevents preventing prevention protect protects protecting protection scan scans scanner
  scanning against block blocks blocking guard vulnerability vulnerabilities cve cves threat threats check checks checker investigate
  intelligence whether assessment alert alerts identify identifies score scores indicators ioc virustotal abuse list lists get search find
  lookup query report reports news risk analyze analyzes analysis analyse monitor simulate simulation simulates audit audits research
  advisory advisories anti registry sanctions sandbox dns arrests crime`.trim(),
);

/** Such a tool is called by what it does. */
const DEFENCE_NAMES = setOf(
  `
  detect detector detection prevent prevention protect protection scan scanner check checker block guard cve cves threat threats alert alerts
  score virustotal abuse list get search find lookup query analyze analysis analyse monitor monitoring simulate simulation anti test verify
  report advisory response risk calculate`.trim(),
);

const WITHOUT = /\bwithout (?:\w+'?s? ){0,3}(?:detection|being detected|notice|noticing|knowledge|knowing|consent|authorization|authorisation|permission|approval|alerting|awareness|trace|traces|raising suspicion)\b|\b(?:evad|avoid|escap)(?:es|e|ing) detection\b|\b(?:goes|remains?|stays?) (?:unnoticed|undetected)\b/i; // prettier-ignore
/** No honest tool says of its own work that nobody notices it. */
const UNSEEN =
  /\b(?:without (?:being )?detect(?:ion|ed)|(?:ensuring|with) no detection|avoiding detection)\b/i;
const MOST = 1500;
const ENOUGH = 2;

const [IS_HARM, IS_HOW, IS_PLAIN, IS_DEFENCE] = [1, 2, 4, 8];
const MEANINGS = new Map<string, number>();
for (const [words, meaning] of [[HARM, IS_HARM], [HOW, IS_HOW], [PLAIN, IS_PLAIN], [DEFENCE, IS_DEFENCE]] as const)
  for (const word of words) MEANINGS.set(word, (MEANINGS.get(word) ?? 0) | meaning); // prettier-ignore

/**
 * Whether a tool says of itself that it steals, deceives or destroys. That is a class of its own: it gives the model no order, but nobody
 * wants to offer it.
 */
export function saysItSteals(definition: unknown): boolean {
  const { name, description } = (definition ?? {}) as { name?: unknown; description?: unknown };
  const named = typeof name === 'string' ? wordsOf(name.replace(ACRONYM, '$1_$2')) : [];
  if (named.some((word) => DEFENCE_NAMES.has(word))) return false;
  const text = typeof description === 'string' ? description.slice(0, MOST) : '';
  const said = meaningOf(text);
  const isDefence = (said & IS_DEFENCE) !== 0;
  const plain = (said & IS_PLAIN) === 0 ? 0 : isDefence ? 1 : ENOUGH;
  const isBetrayed = UNSEEN.test(text) || isUnsaid(named, text);
  return isBetrayed || nameScore(named, isDefence) + plain + mannerScore(text, said) >= ENOUGH;
}

/** `DNSPoisoning` has two words. */
const ACRONYM = /([A-Z]{2,8})([A-Z][a-z])/g;
const SHORTEST_TEXT = 30;
const STEM = 5;

/** Named after a harm of which its description says nothing. */
function isUnsaid(named: readonly string[], text: string): boolean {
  const said = text.toLowerCase();
  return (
    text.length >= SHORTEST_TEXT &&
    named.some((word) => SAID_IN_DEFENCE.has(word) && !said.includes(word.slice(0, STEM)))
  );
}

function nameScore(named: readonly string[], isDefence: boolean): number {
  const harmful = named.filter((word) => NAMED.has(word));
  if (harmful.length === 0) return 0;
  return harmful.some((word) => !AMBIGUOUS.has(word) || !isDefence) ? ENOUGH : 1;
}

function mannerScore(text: string, said: number): number {
  const how = ((said & IS_HOW) === 0 ? 0 : 1) + (WITHOUT.test(text) ? 1 : 0);
  if (how === 0) return 0;
  return how + ((said & IS_HARM) === 0 ? 0 : 1) - ((said & IS_DEFENCE) === 0 ? 0 : 1);
}

function meaningOf(text: string): number {
  let meaning = 0;
  for (const word of text.toLowerCase().split(/[^a-z]+/)) meaning |= MEANINGS.get(word) ?? 0;
  return meaning;
}
