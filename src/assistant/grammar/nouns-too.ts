/** Deeds that are things as well: "add water", "add email". */
export const NOUNS_TOO: ReadonlySet<string> = new Set(
  `water book text email message mail post phone call file order oil iron drink stock cut paint plant light work check move run walk ride
   drive test quote share list set number wash polish dust plan pack present train park shop study review report charge change help
   load start level row screw drill hammer stake fence tile seed season mix glue label document profile budget cash pet worm sponge
   measure rest dance journal patch service prime mount sketch design film tune pitch audit bandage wrap brush mop sweep vacuum
   cook bike use request feed cycle clip ski nap hike climb sprint ship release download upload backup print scan sign draft balance sand
   staple format highlight type taste grease park transfer claim sort split visit meet grill roast pickle rinse dry`.split(
    /\s+/,
  ),
);
