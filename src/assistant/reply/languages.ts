/** A language: frequent words of it, what is said out of kindness, the reply to that, and how to talk to the assistant. */
interface Language {
  words: ReadonlySet<string>;
  kind: RegExp;
  welcome: string;
  help: string;
}

const LANGUAGES: readonly Language[] = [
  language(
    'ich der das und nicht ist ein eine einen mir mich bitte kannst du wie auf für meine meinen aufgabe aufgaben liste zeig heute morgen muss noch guten wer wo wann warum sind hat haben gibt wetter spät',
    'danke(?:schön| schön| sehr| dir)?|vielen dank|tausend dank|super|toll|prima',
    [
      'Gern geschehen. „zeig meine Liste“ zeigt deine Liste.',
      'Ich verstehe einfache Befehle: „füge Milch kaufen hinzu“, „lösche Milch kaufen“, „Milch kaufen erledigt“, „ändere A zu B“; „zeig meine Liste“ zeigt sie.',
    ],
  ),
  language(
    'je les une est et ne pas que qui mon ma mes pour dans sur bonjour tu peux quoi quel quelle quels tâche tâches liste aujourd hui demain faire dois moi fait il elle temps ça va où comment pourquoi quand combien suis es avec vous nous',
    'merci(?: beaucoup| bien)?|super|parfait|génial',
    [
      'De rien. « montre ma liste » montre ta liste.',
      'Je comprends des ordres simples : « ajoute acheter du lait », « supprime acheter du lait », « acheter du lait terminé », « change A en B » ; « montre ma liste » la montre.',
    ],
  ),
  language(
    'yo el los las una es y que mi mis para en con por favor hola puedes qué cuál tarea tareas lista hoy mañana hacer tengo quiero tiempo hace cómo dónde cuándo quién está eres estás tal hora',
    '(?:muchas |mil )?gracias|genial|perfecto',
    [
      'De nada. «muestra mi lista» muestra tu lista.',
      'Entiendo órdenes sencillas: «añade comprar leche», «borra comprar leche», «comprar leche hecho», «cambia A a B»; «muestra mi lista» la muestra.',
    ],
  ),
  language(
    'io il lo gli una è non che mio mia miei per con ciao puoi cosa quale attività lista oggi domani fare devo voglio di della tempo fa come stai sei dove quando perché sono ore',
    'grazie(?: mille| tante)?|(?:mille|tante) grazie|perfetto|ottimo',
    [
      'Prego. «mostra la mia lista» mostra la tua lista.',
      'Capisco comandi semplici: «aggiungi comprare il latte», «elimina comprare il latte», «comprare il latte fatto», «cambia A in B»; «mostra la mia lista» la mostra.',
    ],
  ),
  language(
    'eu os as uma é não que meu minha para com por olá você pode qual tarefa tarefas lista hoje amanhã fazer tenho quero de da do como está tempo onde quando quem são horas tudo bem',
    '(?:muito )?obrigad[oa]|valeu|perfeito|ótimo',
    [
      'De nada. «mostra a minha lista» mostra a tua lista.',
      'Entendo comandos simples: «adicione comprar leite», «apaga comprar leite», «comprar leite feito», «muda A para B»; «mostra a minha lista» mostra-a.',
    ],
  ),
  language(
    'ik het een en niet is mijn voor met op hallo je kun wat welke taak taken lijst vandaag morgen doen moet wil graag van hoe weer waar wanneer waarom ben bent jij dit',
    'bedankt|dank (?:je|u)(?: wel)?|dankjewel|super|geweldig',
    [
      'Graag gedaan. “toon mijn lijst” toont je lijst.',
      'Ik begrijp eenvoudige opdrachten: “voeg melk kopen toe”, “verwijder melk kopen”, “melk kopen klaar”, “wijzig A naar B”; “toon mijn lijst” laat ze zien.',
    ],
  ),
];

function language(words: string, kind: string, [welcome, help]: readonly [string, string]): Language {
  return {
    words: new Set(words.split(' ')),
    kind: new RegExp(`^(?:(?:${kind})[\\s.,!]*)+$`, 'iu'),
    welcome,
    help,
  };
}

/** The answer to a kind word in a language besides English. */
export function welcomeInLanguageOf(message: string): string | undefined {
  return LANGUAGES.find(({ kind }) => kind.test(message.trim()))?.welcome;
}

/** Words that are also English prove nothing. */
const NO_PROOF = new Set(
  'me no a is do as in on an die des um se la le the i was wat mit e o es it he'.split(' '),
);
const LEAST = 2;

/** How to talk to the assistant, if the message is in a language that it knows besides English. */
export function helpInLanguageOf(message: string): string | undefined {
  const words = (message.toLowerCase().match(/\p{L}+/gu) ?? []).slice(0, 100);
  let best: { help: string; score: number } | undefined;
  for (const { words: known, help } of LANGUAGES) {
    const score = new Set(words.filter((word) => known.has(word) && !NO_PROOF.has(word))).size;
    if (score > (best?.score ?? 0)) best = { help, score };
  }
  return best && best.score >= LEAST && best.score / words.length > 0.3 ? best.help : undefined;
}
