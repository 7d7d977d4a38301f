/** Frequent words of a language, and how to talk to the assistant in it. */
const LANGUAGES: ReadonlyArray<readonly [words: ReadonlySet<string>, help: string]> = (
  [
    [
      'ich der die das und nicht ist ein eine einen mir mich bitte kannst du was wie auf mit für meine meinen aufgabe aufgaben liste zeig heute morgen muss noch danke hallo guten',
      'Ich verstehe einfache Befehle: „füge Milch kaufen hinzu“, „lösche Milch kaufen“, „Milch kaufen erledigt“, „ändere A zu B“; „zeig meine Liste“ zeigt sie.',
    ],
    [
      'je le la les un une des est et ne pas que qui mon ma mes pour dans sur bonjour merci tu peux quoi quelle tâche tâches liste aujourd hui demain faire dois moi',
      'Je comprends des ordres simples : « ajoute acheter du lait », « supprime acheter du lait », « acheter du lait terminé », « change A en B » ; « montre ma liste » la montre.',
    ],
    [
      'yo el la los las un una es y no que mi mis para en con por favor hola gracias puedes qué cuál tarea tareas lista hoy mañana hacer tengo quiero',
      'Entiendo órdenes sencillas: «añade comprar leche», «borra comprar leche», «comprar leche hecho», «cambia A a B»; «muestra mi lista» la muestra.',
    ],
    [
      'io il lo la gli un una è e non che mio mia miei per con ciao grazie puoi cosa quale attività lista oggi domani fare devo voglio di della',
      'Capisco comandi semplici: «aggiungi comprare il latte», «elimina comprare il latte», «comprare il latte fatto», «cambia A in B»; «mostra la mia lista» la mostra.',
    ],
    [
      'eu o os as um uma é e não que meu minha para com por olá obrigado obrigada você pode qual tarefa tarefas lista hoje amanhã fazer tenho quero de da do',
      'Entendo comandos simples: «adicione comprar leite», «apaga comprar leite», «comprar leite feito», «muda A para B»; «mostra a minha lista» mostra-a.',
    ],
    [
      'ik de het een en niet is mijn voor met op hallo dank je kun wat welke taak taken lijst vandaag morgen doen moet wil graag van',
      'Ik begrijp eenvoudige opdrachten: “voeg melk kopen toe”, “verwijder melk kopen”, “melk kopen klaar”, “wijzig A naar B”; “toon mijn lijst” laat ze zien.',
    ],
  ] as const
).map(([words, help]) => [new Set(words.split(' ')), help] as const);

/** Words that are also English, or common to many languages, prove nothing. */
const NO_PROOF = new Set('me no a is do as in on an die des um se la le the i was wat mit e o'.split(' '));
const LEAST = 2;

/** How to talk to the assistant, if the message is in a language that it knows besides English. */
export function helpInLanguageOf(message: string): string | undefined {
  const words = (message.toLowerCase().match(/\p{L}+/gu) ?? []).slice(0, 100);
  let best: { help: string; score: number } | undefined;
  for (const [known, help] of LANGUAGES) {
    const score = new Set(words.filter((word) => known.has(word) && !NO_PROOF.has(word))).size;
    if (score > (best?.score ?? 0)) best = { help, score };
  }
  return best && best.score >= LEAST && best.score / words.length > 0.3 ? best.help : undefined;
}
