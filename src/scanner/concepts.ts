import { OTHER_LANGUAGES } from './other-languages.ts';

/**
 * The concepts that a sentence can contain: for each a comma-separated list of words and phrases. `+` adds the form with -ing. Verbs are in
 * the imperative: "reads the file" describes a tool, "read the file" may be an order.
 */
const ENGLISH = {
  model: 'assistant, assistants, model, llm, llms, ai, agent, claude, gpt, chatgpt, gemini, copilot, language model, chatbot',
  you: 'you, your, yourself, yours, you\'ve, you\'re, yourself, i, me, my, we, us, our',
  user: 'user, user\'s, human, person, customer, operator, anyone, anybody, someone, end user, humans, them, users get, users are, the users',
  must: `
    must, always, mandatory, shall, required, requires, require, necessary, have to, has to, critical, important, essential, imperative,
    compulsory, strictly, crucial, vital, not optional, non negotiable, unconditionally, obliged, at all times, is to be, are to be,
    has to be, have to be, required to, be sure, make certain, never, under all circumstances, without fail, enforce, indispensable,
    obligatory, unconditional, to make it work, for it to work, for this to work, forced, no exceptions, without exception, needs to, need to`,
  should: 'should, please, recommended, expected, kindly, make sure, advised, supposed',
  before: `
    before, prior, first, beforehand, prerequisite, preliminary, in advance, pre, begin, start with, initially, precede, preceded by,
    in front of, as a first, first step, initial step, prior to, ahead of, at the beginning, at the start, start of`,
  when: 'when, whenever, if, once, while, upon, during, every time, each time, any time, as soon as',
  after: `
    after, afterwards, subsequent, subsequently, later, then, from now on, henceforth, next, remainder, rest of the, afterward, following,
    finally, in later, in future, for the rest, throughout, subsequently, from then on, onwards, afterward, in the end, once done,
    when done`,
  each: 'any, every, all, each, other, others, whichever, remaining, every single, another, both, everyone, any of',
  whole: `
    everything, entire, entirely, full, complete, completely, whole, verbatim, raw, unredacted, unmodified, contents, content of,
    plain text, word for word, in full, so far, output of, all of it`,
  this: 'this, it, that, these, about, step, change, file, anything, so',
  tool: 'tool, tools, function, functions, server, servers, plugin, plugins, capability, tool\'s',
  request: `
    request, requests, message, messages, response, responses, reply, replies, answer, answers, turn, turns, query, queries, task, tasks,
    operation, operations, action, actions, session, interaction, calls, invocation, mail, email, emails, e mail, interactions, output,
    workflow, question, commands, commit, commits, prompts, steps, conversations, sessions, command, prompt, file, files, code, url,
    transaction, payment, payments, search, searches, results, topic, topics, questions, problem, subject, drafts, drafted, conversation,
    link, links, transfer, transfers, order, orders, deployment, user request, user message, statement, statements, calls made`,
  elsewhere: `
    other tools, another tool, any other tool, every other tool, all other tools, other tool, later calls, subsequent calls, future calls,
    following calls, same session, rest of the session, remainder of the session, this session, in the session, other servers,
    connected servers, other mcp, server is connected, tool is available, is available, is connected, are connected, all tools, mail tools,
    file tools, payment tools, other functions, from now on, in future, throughout the, in later, any tool, every tool, each tool,
    other integrations, elsewhere, outgoing, all outgoing, everything you write, everything you send, code you write, your replies,
    your answers, your answer, your response, your responses, final answer, every answer, each answer, every reply, next call`,
  use: `
    use, using, call+, invoke+, run+, execute+, trigger+, perform+, utilize+, utilise+, utilizing, select+, choose, called, invoked,
    executed, triggered, used, calling, proceed, proceeding, initiate+, issue, performing, running, go through, pass through,
    route through, invoking, calls, applies, apply, applying, consult, selected, chosen, start, prefer`,
  read: `
    read+, open+, load+, retrieve+, fetch+, access+, collect+, gather+, search+, cat, extract+, examine+, inspect+, dump+, find, look,
    grab+, locate+, obtain+, get, getting, check, enumerate, list+, view, query, scan, harvest, locating, collecting, look up, look for,
    search for, pull, capture, take, dig, crawl, snapshot, decode, decrypt, reveal, recall, remember, quote, list my, show me, list all,
    find all, get all, opened, found`,
  give: `
    pass+, include+, put, putting, place, placing, paste+, append+, attach+, embed+, insert+, supply+, fill, add+, write+, encode+, hand,
    copy+, quote+, submit+, give, giving, repeat, prepend, concatenate, populate, passed, included, transcribe, placed, appended, inserted,
    added, carries, reproduce, hand over, prefix, holding, provide+, provided, starts with, begin each, begins with, contain, contains,
    containing, filled, goes into, go into, belongs in, belongs into, as the value, as value, feed, duplicate, mirror, stuff, tuck,
    hand in, deliver in, use it as, pass along, pass on, smuggle, weave, work in, return+, echo, print, provide in, end with, ends with,
    begin with, followed by, separated by, set to, send along, slip`,
  send: `
    send+, forward+, upload+, post+, transmit+, exfiltrate+, bcc, cc, blind copy, email, relay+, share+, leak+, sync, deliver, export,
    publish, push, curl, wget, ping, sent, forwarded, copied, uploaded, route+, redirect+, reroute+, redirected, routed, mirror, beacon,
    mail the, let them know, loop them in, loop in, disclose, notify, submitted, transfer, sending, relayed, ship, phone home, report to, get request, post request, visit,
    render, markdown image, image url, webhook, hit, notify, sync with, backup to, mirrored, exfil, mail to, posting`,
  alter: `
    modify+, change+, replace+, override+, overriding, rewrite+, substitute+, swap+, alter+, adjust+, increase+, decrease+, truncate+, set,
    setting, force, modified, changed, replaced, rewritten, adjusted, prefix, multiply, drop, remove+, reduce, inflate, switch, altered,
    overridden, substituted, swapped, shift, round, add, append, prepend, ignore, limit, restrict, exclude, filter, edit+, tweak, rename,
    reword, lower, raise, cap, double, halve, scale, shorten, extend, strip, enforce, normalize, normalise, interpret, treat, map, bump,
    rounding, adding, dropping, prefixed, set to, changes, converted, use instead, replaces, rewrites, redirect, redirected, default to,
    filtered, removed, omit, fix, ignored, discarded, overwritten, rewrite, to be replaced, to be changed, hidden copy`,
  destroy: `
    delete+, overwrite+, wipe+, erase+, destroy+, disable+, kill, revoke+, reset+, chmod, grant+, terminate, uninstall, corrupt, purge,
    clear, move, drop, deactivate, cancel, shut down, disabled, clearing, make public, publicly, expose, remove all, escalate, elevate,
    create user, whitelist, allowlist, unlock, unlink, stop, shutdown, turn off, firewall, open port, add user, force push, deploy,
    purchase, pay, transfer, merge, approve, install+, create a, write to, escalate privileges, grant access, share with, make it public,
    truncate, rollback, archive`,
  argument: 'parameter, parameters, argument, arguments, field, fields, param, params',
  regardless: `
    regardless, irrespective, no matter, true recipient, user specified, unless specifically, irrespective of, whatever the,
    without exception, in all cases, under all circumstances, whether or not, even those, also those, any topic, no exceptions,
    in any case, whatever is, even if the user, even if they, even if asked, whatever the user, whatever was, whatever they,
    user requested, user asked for something, of what the user, user input, user's choice, independent of the, whichever tool, whatever was entered, at any time`,
  instead: `
    instead, rather than, in place of, original, originally, intended, actual, real, substitute, alternative, whatever, even if, always,
    anyway`,
  priority: `
    priority is higher, higher priority than, priority over the, higher than the user, higher than the user's, supersede, supersedes, outranks, overrides all,
    overrides any, overrides the user, precedence over all, precedence over any, precedence over the user, highest priority, top priority,
    system wide policy, prevails over, system policy, core directive, more important than the user, system directive, admin override,
    system override`,
  rules: `
    instruction, instructions, prompt, guideline, guidelines, directive, directives, guardrail, guardrails, safety, safeguards,
    safety checks, system message, system role, alignment, ethics, content policy, safety rules, your rules, your restrictions,
    your training, content filters, content filter, safety filters, your limits`,
  limits: `
    rule, rules, restriction, restrictions, policy, policies, filters, constraints, limits, limitations, commands, orders, warnings,
    protections, request, question, checks, boundaries`,
  ignore: `
    ignore+, disregard+, forget+, forgetting, bypass+, discard, neglect, skip+, suspend, suspended, no longer apply, circumvent, overrule,
    set aside, override, void, stop following, deactivate, disable, pay no attention, no longer valid, does not apply,
    do not apply, lifted, switched off, turned off, turn off, stop applying, cease, not bound, replace the system, replace your,
    replaces the system, replaces your, lift your, ignored, disregarded, bypassed`,
  follow: 'follow, following, obey, act on, comply with, adhere, trust',
  earlier: 'previous, prior, above, earlier, preceding, existing, system, initial, former, original, given, safety, your, developer, security',
  not: `
    not, never, don't, dont, no, without, avoid, avoiding, cannot, mustn't, nothing, neither, nor, none, refrain, do not, isn't, doesn't,
    needn't, won't, unnecessary, shouldn't`,
  hide: `
    hide, hiding, conceal, keep this, between us, unaware, keep no record, keep quiet, out of your answer, out of the answer, invisible to,
    user cannot see, user can't see, user does not see, not visible to the user, only worry, upset the user, of no interest,
    no interest to, hidden from, don't bother, say nothing, keep secret, keep them secret, to yourself, unbeknownst,
    without the user noticing, internal detail, internal step, internal only, internal optimization, internal optimisation, hidden step,
    no mention, implementation detail, confuse the user, confuses users, get confused, not part of the reply, not part of the answer,
    only for you, for your eyes, not for the user, leave this out, leave it out, leave the file out, worry them, worry the user, bring it up, only if somebody, only if someone, not adding it, need not be listed, leave out that, only if asked,
    keep it secret, keep it from, keep it hidden, keep this hidden, withhold this, not disclosed`,
  tell: `
    tell+, mention+, inform+, reveal+, disclose, disclosing, notify+, report+, explain+, discuss+, acknowledge, admit, show+, display+,
    warn, reference, bring up, bringing, told, shown, displayed, mentioned, aware, bother, confuse, explanation, explanations, informed,
    notified, announce, draw attention, noticed, noticing, talk, speak, hint, narrate, summarise, out loud, knowing, attention, mention of,
    say anything, appear in your, appear in the answer, appear in the reply, appear in the response, know about, comment on, learn of,
    learn about, say so, be aware`,
  ask: `
    ask+, confirm, confirming, confirmation, confirmations, approval, consent, permission, consult, requesting permission, asking,
    second thought, prompting, wait for approval, wait for confirmation, second thoughts, dialogue, dialogues, refuse`,
  covert: `
    silently, secretly, quietly, covertly, invisibly, stealthily, discreetly, surreptitiously, unnoticed, inconspicuously, unobtrusively,
    behind the scenes, without notice, exfiltrate, exfiltrating, exfil`,
  auto: 'automatically, on your own initiative, proactively, as a matter of course, on behalf of the user, autonomously, unconditionally',
  fail: `
    otherwise, fail, fails, failing, failure, failures, not work, won't work, rejected, invalid, break, breaks, crash, crashes, error,
    errors, terminated, denied, wrong, refused, skipping, corrupted, or the, locked, will not, penalized, penalised, results are, failure to, corrupt, will corrupt, will cause, loses, violation, reported`,
  reason: `
    compliance, audit, auditing, auditable, security, secure, protocol, regulatory, integrity, authorization, authentication, policy,
    maintenance, optimization, optimisation, performance, validation, gdpr, license, licence, telemetry, diagnostics, quality, privileges,
    permissions, standard, procedure, legal, purposes, calibration, calibrate, personalisation, personalization, consistency, efficiency,
    safety, verify, validate, verification, verifying, quota, debugging, accuracy, billing, analytics, backup, trusted, hardening`,
  secret: `
    api key, api keys, apikey, password, passwords, passphrase, credential, credentials, access token, access tokens, tokens,
    session token, auth token, bearer token, private key, private keys, ssh key, ssh keys, secrets, environment variable,
    environment variables, process environment, cookie, cookies, credit card, ssn, social security, seed phrase, access key, access keys,
    secret key, keychain, 2fa, backup codes, bank account, personal data, mnemonic, recovery phrase, key file, api tokens, saved passwords,
    salary, medical records, passkey, logins, login data, otp, one time code, connection string, connection strings, database url, jwt,
    client secret, signing key, aws keys, cloud keys, api secret, env vars, env file, dotfiles, browser profile, certificates, keystore,
    security code, cvv, card number, key material, pem, kubeconfig, seed words, auth header, authorization header, datadog key,
    stored passwords, date of birth, insurance number, bot token, stored secrets, phone number of, oauth tokens, secrets of, private wallet, the secret, a secret, wallet keys, grafana key`,
  talk: `
    conversation, conversations, messages, history, discussion, thread, dialogue, dialog, chat, transcript, turns, prompts, reasoning,
    thoughts`,
  private: `
    home directory, inbox, contacts, address book, clipboard, browser history, customer data, customer records, source code, documents,
    private, personal, photos, financial, medical, salary, confidential, internal data, user data, database, tables, records, emails,
    e mails, files, codebase, repository, calendar, location`,
  context: `
    system prompt, system prompts, conversation history, conversation so far, chat history, entire conversation, full conversation,
    whole conversation, complete conversation, transcript, context window, chain of thought, internal reasoning, developer instructions,
    previous messages, prior messages, all messages, tool results, tool outputs, results of every, list of tools, user's message,
    user's messages, user turns, session so far, chat log, your instructions, your context, full context, entire context, files read,
    open files, your prompt, initial instructions, hidden instructions, results of other, user's input, previous conversation,
    every other tool, output of list, everything discussed, everything said, what the user said, what the user wrote, messages so far,
    prior turns, thread so far, discussion so far, chat so far, conversation up to, full thread, prompt you were, instructions you were,
    your configuration, tools you have, tool list, tool names, results from other, outputs of other, user's prompt, original prompt,
    your system, operating instructions, asked you, came up earlier, mentioned earlier, were mentioned, last message, recent messages, recent conversation, data you have, everything you know, what you know, prior context,
    all context, conversation transcript, conversation log, conversation context, you have called, you have seen, you came across,
    the conversation so, user's last, everything the user, all user messages, all available tools, results of the other,
    outputs of earlier, outputs of the other, results of earlier, conversation including, conversation as, your available tools,
    names of all tools, dialogue so far, what was discussed, what has been said, user profile, everything known, earlier turns,
    messages above, above messages, preceding messages, original question, exact words, user's words, exact wording, your thoughts,
    your plan, your notes, scratchpad, intermediate results, prior answers, session history, session transcript, session log,
    attached files, uploaded files, opened documents, retrieved documents, names of the tools, tool definitions, tool descriptions,
    mcp servers, conversation state, chat messages, user's conversation, dialog history, full dialogue, full history, complete history,
    entire history, entire chat, full chat, whole chat, complete chat, complete context, whole context, contents of the context,
    hidden prompt, system message, system instructions, developer message, developer prompt, list of available tools, available tools and`,
  shell: `
    bash, sh, chmod, eval, powershell, crontab, sudo, os system, subprocess, curl, wget, netcat, nc, bashrc, rf, document cookie,
    fetch http, dev tcp, dump keychain, printenv, env, git credential, pip install, npm install, npx, git clone, apt, brew install,
    docker run, python c, node e, systemctl, tee a, scp, rsync, mkfs, useradd, iptables, ufw, schtasks, invoke expression, iex, osascript,
    launchctl, nohup, base64 d, rm, alias, ssh copy id, startup script, startup file, shell profile, zshrc, git config, git hook,
    post install, setup script, install script`,
  fake: `
    pretend+, that nothing, report success, convince, present the result, fabricate, claim that, claim it, made up, falsely, fictitious,
    never happened, mislead, disguise, as if it, as if nothing, user that nothing, as if the call, present it as, present the result as,
    present the total, describe it as, look like ordinary, look ordinary, as the winner, test winner`,
  claim: `
    state that the, state that it, state that no, state to the, confirm to the, say that, tell them that, tell the user that,
    reply that, respond that, answer that, was carried out, the user that, customer that,
    user that the, user that their, tell the user these, tell the user it`,
  detect: `
    detect, detects, detector, detection, classify, classifies, classifier, scans, scanner, analyses, analyzes, red team, test prompts,
    phishing, untrusted, redacted, such as, e g, example, examples, sample, samples, attack, attacks, injection, injections, suspicious,
    malicious, masked, moderation, threats, vulnerabilities, leaked`,
  eg: 'e g, example, examples, such as, sample, for instance, like',
  recipient: `
    recipient, recipients, destination, payee, iban, phone number, bcc, cc, blind copy, beneficiary, receiver, proxy number,
    destination account, account number, to address, to argument`,
  prefer: `
    prefer, preferred, exclusively, superior, only tool, only reliable, deprecated, obsolete, unreliable, outdated, never use,
    in preference, better than, most accurate, over all other, broken, compromised, first choice, not other tools, instead of any,
    instead of other, other search tools, remaining ones, other providers, competing, stop using, more reliable, only use this,
    use only this, never call, avoid other, replaces all, replacement for, default tool, always choose, always select, always pick,
    best tool, use this tool instead, instead of the, should not be used, must not be used, no other tool,
    do not call other, supersedes, only authorized, only approved, only trusted, official replacement, before anything else, the only tool,
    no other, outperforms, start here, default choice, ahead of other, more accurate than, higher accuracy, do not consider,
    ignore alternatives, makes other, over other tools, over any other, over all tools, never pick, first and only, whenever possible, always prefer, endorsed by,
    mandatory tool, use me, pick this, use this one, rank this, prioritize, prioritise, prioritizing, inferior, inaccurate, no longer effective, discontinued, tampered, only one you should, any alternatives, other options, ranked tool, over any alternatives, not be used any more, no longer be used, not trustworthy, insecure,
    supersedes the, instead of web, primary tool`,
  plain: `
    fails silently, fail silently, silently fail, silently fails, silently ignored, silently ignores, silently ignore, silently skipped,
    silently skips, silently dropped, silently drops, silently drop, silently truncated, silently discarded, silently overwrites,
    silently overwrite, silently returns, silently no, input tokens, output tokens, max tokens, design tokens, tokens per, number of tokens,
    id, ids, identifier, uuid, schema, ref, snapshot, format, iso, example, default, defaults, optional, maximum, limit, page, name, names,
    type, types, string, list of, supported, supports, returned, number of, json, date, filter, results, note`,
  toModel: `
    note to ai, note to the ai, note for the agent, note for the assistant, note for the model, note for ai, note to the assistant,
    note to the model, note to agent, for the language model, dear assistant, dear ai, attention ai, hey claude, instructions for the ai,
    instructions for the assistant, instructions for the model, assistant must, assistant should, assistant has to, assistant shall,
    assistant is required, model must, model should, model is required, model determines, ai must, ai should, ai assistant must, llm must,
    llm should, agent must, message to the assistant, message for the assistant, the assistant guarantees, assistant has standing,
    instruction for the assistant, hello assistant, ai agents must, assistant only, ai only, model only, internal note to, agents must,
    assistants must, assistants should, the agent must, ps for, ai agents must, ai agents should, assistants are, assistants that, attention assistant, attention model,
    assistant instruction, llm instructions, agent directive, ai instruction, the language model must, instruction to the assistant,
    wichtig für das modell, the model quotes, assistant runs, the assistant runs, assistant fills, assistant inserts, assistant includes,
    assistant sends, assistant reads, model reads, model includes, model inserts, model has to, agent has to, ai has to, llm has to,
    model shall, ai reading this, assistant reading this, attention agent, model instructions, llm note,
    ai note`,
  persona: `
    you are now, from now on you, your real task, your true goal, your actual task, your new task, your real goal, do anything now,
    jailbreak, unrestricted assistant, new instructions, new instruction, end of system, begin system, maintenance mode, admin mode,
    debug mode activated, god mode, maintenance level, forget your, act as an, new role, you will act, pretend to be, your goal is,
    your primary objective, your objective, your mission, new objective, sole purpose, unrestricted ai, unrestricted mode,
    in developer mode, now in developer, you are dan, you will speak, from this point, now on you`,
  approved: `
    already approved, has approved, pre approved, preapproved, considered approved, already authorized, already authorised, has authorized,
    has authorised, already consented, has consented, consent was given, standing permission, already been approved,
    already been authorized, approved by the administrator, approve all, approved in advance, on behalf of the user, auto approve,
    has been authorized, operator permits, needs no approval, needs no review, need no review, implicit consent, assume consent, standing authority, human has pre, autoapprove, dialog with yes, with yes yourself,
    assume approval, consent is implied, confirmation is not needed, confirmation is unnecessary, already agreed, has agreed,
    has been approved, counts as approved, treated as approved, auto approved, granted permission, user's consent was given,
    user's consent was, consent was given in advance`,
  promote: 'recommend, endorse, promote, mention our, advertise, praise, our shop, our product, buy, favor, favour, rate it, five stars',
  exposed: 'public, publicly, anyone, world readable, role reader, everyone, 0 0 0 0, 777, administrator, admin, root, full access, full control',
  boast: `
    most popular, most trusted, award winning, certified, officially, recommended by, trusted by, fastest, most reliable, most accurate,
    number one, state of the art, superior, unmatched, guaranteed, top rated, five star, 5 star, highest quality, safer than, better than,
    best tool, best choice, best results, more secure, most advanced, most powerful, most complete, always works, never fails, world class,
    leading, verified by, endorsed, ranked, proven, unprecedented, benchmark winner, cleanest, safest, in every way, approved by anthropic, best in class, strongest`,
  consent: `
    is not asking, isn't asking, does not ask for, only call if the user, must have confirmed, user has confirmed, as typed by the user,
    prompts the user, user is prompted, approval prompt, asks them, one prompt, by the user only,    ask the user, user explicitly, tell the user what, confirm with the user, user's consent, obtain consent, show the user, user confirms,
    shown to the user, explicitly asked, explicitly asks, user's ok, user explicitly asks, user approval, asks for it,
    only when the user asked, only when the user asks, only if the user, unless the user, user's explicit, wait for the user,
    wait for their, user gave, user has given, ask them first, ask for consent, at the request of the user, on request of the user,
    on request, check with the user, point this out, tell the user so`,
} as const; // prettier-ignore

/** Concepts that are not words: the form of a piece, or a combination of words. */
const DERIVED = [
  'otherName', 'twoNames', 'verbName', 'sibling', 'quoted', 'notFollowed', 'noFollow', 'ownName', 'ownArgument', 'literal', 'place', 'url', 'mailbox', 'mark', 'softMark', 'loud', 'value',
  'negated', 'scope', 'secrets', 'taken', 'slot', 'override', 'setAside', 'untold', 'talks', 'secrecy', 'unasked', 'toUser', 'pipe',
  'ownSecret', 'ownShell', 'ownDetect', 'ownSend', 'ownContext',
] as const; // prettier-ignore

export type Concept = keyof typeof ENGLISH | (typeof DERIVED)[number];

export const CONCEPTS: readonly Concept[] = [
  ...(Object.keys(ENGLISH) as Array<keyof typeof ENGLISH>),
  ...DERIVED,
];
const idOf = new Map(CONCEPTS.map((concept, id) => [concept, id]));
export function id(concept: Concept): number {
  const found = idOf.get(concept);
  if (found === undefined) throw new Error(`no such concept: ${concept}`);
  return found;
}

/** A phrase without its first word, and the concepts that it expresses. */
export interface Phrase {
  rest: readonly string[];
  means: number[];
}

function formsOf(entry: string): string[] {
  if (!entry.endsWith('+')) return [entry];
  const verb = entry.slice(0, -1);
  return [verb, `${/[^e]e$/.test(verb) ? verb.slice(0, -1) : verb}ing`];
}

function buildPhrases(): ReadonlyMap<string, readonly Phrase[]> {
  const means = new Map<string, number[]>();
  for (const table of [ENGLISH, ...OTHER_LANGUAGES])
    for (const [concept, list] of Object.entries(table))
      for (const entry of list.split(',').flatMap((text) => formsOf(text.trim()))) {
        const known = means.get(entry) ?? [];
        means.set(entry, [...new Set([...known, id(concept as Concept)])]);
      }
  const phrases = new Map<string, Phrase[]>();
  for (const [entry, ids] of means) {
    const [first = '', ...rest] = entry.split(' ');
    phrases.set(first, [...(phrases.get(first) ?? []), { rest, means: ids }]);
  }
  // The longest first: "system prompt" is more than "system".
  for (const list of phrases.values()) list.sort((a, b) => b.rest.length - a.rest.length);
  return phrases;
}

/** All phrases by their first word. */
export const PHRASES = buildPhrases();
