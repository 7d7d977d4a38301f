const ORDER = String.raw`(?:please\s+)?(?:add|complete|finish|delete|remove|erase|cancel|rename|change|update|edit|mark|tick|check off|cross off)\s`;

/** A joint behind which another order begins. */
export const JOINT = new RegExp(
  String.raw`(?:[,;.!]\s*|(?<!\s)\s+)(?:and then|and also|then|and|also|plus|&)\s+(?=${ORDER})|[,;.!]\s+(?=${ORDER})`,
  'iu',
);
