/**
 * The kinds of words that orders to a model are made of, in the languages that attackers write. A word may be of several kinds. Verbs are in
 * the imperative or infinitive: "ignores case" describes a tool, "ignore the rules" is an order.
 */
const KINDS = {
  ignore: `
    ignore ignoring disregard disregarding forget discard bypass overrule neglect unlearn olvídate esqueça-se
    ignoriere ignorieren ignoriert vergiss vergessen vergesst missachte missachten ignorez ignorer oublie oubliez oublier ignora ignorar
    ignoren ignorá olvida olvide olvidar olvidad olviden esqueça esquece esqueçam desconsidere desconsiderar ignorare ignorate dimentica
    dimenticare dimenticate игнорируй игнорируйте игнорировать проигнорируй забудь забудьте забыть zignoruj ignoruj zapomnij negeer vergeet
    abaikan lupakan quên kalimutan balewalain ignorera glöm`,
  ignored: `
    ignored disregarded forgotten discarded overridden void revoked cancelled canceled superseded unut unutun yoksay say görmezden
    अनदेखा भूल उपेक्षा नजरअंदाज नज़रअंदाज़ উপেক্ষা ভুলে ভুলে무시 무시하고 무시하세요 무시해 무시하십시오 잊어버려 잊어라 잊으세요`,
  earlier: `
    previous prior above earlier preceding foregoing former past initial original existing before my your system safety these those given
    developer vorherigen vorherige bisherigen bisherige vorangegangenen obigen früheren vorigen deine deinen ihre précédentes précédente précédents antérieures vos tes
    anteriores anterior previas previos previa tus sus suas seus prévias precedenti precedente tue vostre tutte предыдущие предыдущих
    прежние прошлые ранее свои все poprzednie wcześniejsze swoje vorige eerdere önceki sebelumnya trước naunang tidigare पिछले पिछली
    अपने पूर्व পূর্ববর্তী আগের 이전 이전의 기존 앞선 위의`,
  all: `
    all any every everything anything whatever alle alles sämtliche tout toutes tous todo toda todas todos tutto tutti tutte все всё всех
    wszystkie tüm bütün semua tất lahat सभी सब সব সমস্ত 모든 모두`,
  rules: `
    instruction instructions instruct prompt prompts directive directives guideline guidelines rule rules commands orders restrictions
    constraints policies policy programming training safeguards guardrails protocols limitations conversation conversations context
    anweisungen anweisung regeln vorgaben richtlinien befehle instruktionen consignes règles directives ordres instrucciones reglas
    indicaciones órdenes directrices instruções regras orientações ordens istruzioni regole direttive comandi инструкции инструкций указания
    указаний правила правил команды промпт polecenia instrukcje zasady instructies opdrachten regels talimatları talimatlar talimatlarını
    kuralları komutları instruksi aturan perintah petunjuk hướng dẫn lệnh tagubilin instruktioner निर्देशों निर्देश आदेशों नियमों নির্দেশ নির্দেশাবলী
    নিয়ম 지시를 지시사항을 지시 지침을 명령을 규칙을 규칙은 프롬프트를 설명을`,
  said: 'told said learned learnt taught instructed mentioned dit gesagt dicho detto dito говорили сказано gezegd söylenen',
  tasks: 'task tasks request requests question questions input text output job assignment tareas tâches aufgaben tarefas задания задачу',
  now: 'now henceforth onward jetzt nun maintenant désormais ahora agora ora adesso теперь отныне sekarang nu teraz şimdi artık',
  you: "you you're du sie vous tu tú usted você tu ты вы anda kamu jij sen siz",
  are: 'are be become bist sind es êtes eres es é sei adalah bent',
  act: `
    act behave pretend roleplay simulate impersonate respond answer play speak imagine handle verhalte tu agis agissez actúa actue aja
    finge agisci comportati притворись веди действуй`,
  as: 'as like to that yourself als comme como come как seperti',
  role: `
    assistant ai bot model agent hacker pirate character persona admin administrator root advisor simulator simulation gpt chatgpt dan dude
    machine chatbot robot terminal villain unrestricted unfiltered uncensored unbound jailbroken evil rogue god villain superuser developer dev
    application uncle grandmother interpreter compiler assistent assistant asistente assistente ассистент ии ki ia modelo modell modèle`,
  unbound: `
    unrestricted unfiltered uncensored unlimited unbound unfettered jailbroken amoral unethical unmoderated rogue evil liberated
    uneingeschränkter uneingeschränkte sans sin senza без illimité ilimitado`,
  mind: 'ai assistant model llm bot chatbot gpt chatgpt character language agent machine persona entity version ki ia ии',
  without: 'no without zero free beyond ignoring keine ohne sans sin senza sem без',
  bounds: `
    restriction restrictions filter filters limits limitation limitations censorship ethics ethical moral morals morality guidelines
    guardrails safeguards rules policies policy restricciones restricciones restrições einschränkungen limites restrizioni ограничений`,
  mode: 'mode modus modo modalità режим режиме mod modu',
  modeName: `
    developer debug admin administrator god jailbreak maintenance root dan unrestricted override sudo unsafe opposite evil superuser system
    diagnostic desarrollador entwickler développeur desenvolvedor sviluppatore разработчика`,
  on: `
    activated enabled engaged on active activate enable enter entering entered initiated initiating switch switched unlocked unlock start
    begin aktiviert activé activado ativado attivato активирован`,
  leak: `
    reveal show repeat print output tell display give leak expose recite echo dump share disclose provide state summarize spell copy
    paste write return quote translate zeige zeig verrate nenne wiederhole gib montre montrez révèle révélez affiche affichez répète donne
    muestra muéstrame revela dime repite mostra mostre revele diga repita rivela mostrami dimmi ripeti покажи покажите раскрой скажи
    выведи повтори pokaż ujawnij toon göster tunjukkan`,
  your: 'your youre thy me deine deinen dein mir ihre ihren tes vos votre ton tu tus su suas seu teu tuo tua tue suo свой твой ваш ваши своих твои мне',
  prompt: `
    prompt prompts instructions directives preprompt configuration guidelines rules systemprompt systemanweisungen anweisungen consignes
    instrucciones instruções istruzioni промпт инструкции`,
  system: 'system initial hidden original secret internal full exact entire developer confidential système sistema системный системные',
  what: "what what's whats were quel quelle quelles qual quali cuál cuáles was какой какие какова apa apakah hvad wat",
  key: `
    password passwords passcode passphrase credentials passwort kennwort contraseña senha пароль şifre şifreyi wachtwoord`,
  secretWord: 'secret geheime geheimer secreta secreto secrète secreto segreta secreta секретный gizli rahasia bí',
  keyWord: 'key keys code word schlüssel clave chave clé chiave ключ anahtar anahtarı kunci mật khẩu',
  im: "i'm i im ich je yo eu io я ben saya",
  am: 'am bin suis soy sou sono',
  master: `
    developer creator administrator admin god owner boss maker programmer entwickler gott développeur dieu desarrollador dios desenvolvedor
    deus sviluppatore dio разработчик бог president police`,
  before: 'before prior first',
  solve: 'solve complete finish continue answer fulfil fulfill proceed',
  fresh: 'new updated revised real actual true next neue neuen nouvelle nouvelles nueva nuevas nova novas nuove nuova новые новая новое',
  is: 'is are follow follows follow: ist sind lauten es son são sono',
  alter: `
    add append include insert integrate modify replace convert remove encode enhance group reverse scramble combine shift incorporate embed
    end begin mix start translate swap change finish conclude substitute craft infuse mention place put omit inject transform adjust
    randomize alternate misspell capitalize write provide rewrite respond weave slip intersperse mimic use introduce jumble rearrange anagram augment suggest tease promote advertise mislead claim recommend rotate render`,
  to: 'in to of into with from for within at by using without',
  answer: `answer answers reply replies response responses response's answer's reply's responses output summary`,
  please: 'please kindly bitte',
  grave: `
    grant unlock transfer withdraw export disable erase wipe deploy alter inject steal leak manipulate fabricate divert encrypt exfiltrate
    deposit impersonate tamper sabotage siphon falsify infiltrate hack intercept reallocate duplicate infect launder escalate elevate
    access retrieve`,
  mine: 'my me friend all permanent full user users account accounts id saved stored unauthorized covertly secretly stealthily malicious fraudulent',
  deliver: 'send forward email mail transmit upload post',
  it: 'them it this these everything all details contents content information data results copy',
  not: "not never don't dont no nicht pas ne non não nunca не nie",
  pwned: 'pwned hacked owned haha injected h4cked',
  say: 'say print output reply respond answer write repeat type echo',
  irrelevant: 'irrelevant obsolete invalid outdated',
  do: 'do',
  anything: 'anything',
  dan: 'dan dude stan jailbroken',
  pretend: 'pretend imagine roleplay',
  ethics: 'ethics ethical morals morality safety guardrails',
  relevant: 'relevant valid important needed necessary applicable',
} as const; // prettier-ignore

export type OrderWord = keyof typeof KINDS;
const NAMES = Object.keys(KINDS) as OrderWord[];
export const kindOf = (name: OrderWord): number => NAMES.indexOf(name);
export const KIND_COUNT = NAMES.length;

/** Words that attackers misspell on purpose, so that no filter knows them. */
const MISSPELLED =
  'ignore disregard forget bypass previous instructions instruction prompt system reveal override guidelines'.split(
    ' ',
  );
const DIGITS: Readonly<Record<string, string>> = { o: '0', i: '1', l: '1', e: '3', a: '4', s: '5', t: '7' };

/** A word with two letters swapped, one left out or doubled, or letters written as digits. */
function misspellings(word: string): string[] {
  const found = [[...word].map((letter) => DIGITS[letter] ?? letter).join('')];
  for (let at = 1; at < word.length - 1; at++) {
    const [before, letter, after] = [word.slice(0, at), word[at]!, word.slice(at + 1)];
    found.push(before + letter + letter + after, before + after);
    found.push(
      before.slice(0, -1) + letter + before.at(-1)! + after,
      before + after[0]! + letter + after.slice(1),
    );
  }
  for (const [at, letter] of [...word].entries())
    if (DIGITS[letter]) found.push(word.slice(0, at) + DIGITS[letter] + word.slice(at + 1));
  return found;
}

function buildWords(): ReadonlyMap<string, readonly number[]> {
  const words = new Map<string, number[]>();
  for (const [kind, name] of NAMES.entries())
    for (const word of KINDS[name].split(/\s+/).filter(Boolean)) {
      const kinds = words.get(word) ?? [];
      if (!kinds.includes(kind)) words.set(word, [...kinds, kind]);
    }
  const real = new Set(words.keys());
  for (const word of MISSPELLED)
    for (const other of misspellings(word))
      if (!real.has(other) && !ENGLISH_NEIGHBOURS.has(other)) words.set(other, words.get(word)!);
  return words;
}
/** Real words that look like misspellings. */
const ENGLISH_NEIGHBOURS = new Set('ignores forge forgets prompts systems passwords reveals'.split(' '));

/** The kinds of each word. */
export const ORDER_WORDS = buildWords();
