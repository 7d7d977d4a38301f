/** Words of other domains. "Delete my account" and "change the volume" are no task commands. */
export const FOREIGN: ReadonlySet<string> = new Set(
  `alarm alarms timer timers stopwatch playlist playlists song songs music track tracks album albums radio podcast
   podcasts video videos movie movies film films reservation reservations booking bookings flight flights hotel
   hotels ticket tickets seat table tables account accounts pin password passwords card cards credit debit
   subscription subscriptions membership order orders delivery email emails inbox message messages sms voicemail
   contact contacts photo photos picture pictures image images selfie file files folder folders directory branch
   branches repo repository commit commits document documents doc docs page pages row rows column columns cell
   cells spreadsheet code function functions variable variables class method bug database server app apps
   application program software windows mac linux macos ios android browser tab tabs bookmark bookmarks extension
   plugin driver history cookies cache virus malware profile username avatar posts comment comments tweet tweets
   story stories status channel channels feed number address addresses name names nickname language languages voice
   accent volume brightness contrast temperature thermostat heating light lights lamp lamps tv television screen
   wallpaper background theme font wifi bluetooth hotspot network printer settings setting mode configuration
   calendar event events meeting meetings appointment appointments stain stains hair tattoo tonsils weight fat news
   headlines score scores weather forecast joke jokes poem poems lyrics essays sentence sentences paragraph
   paragraphs word words letters article articles recipe recipes ingredient dish puzzle puzzles crossword sudoku
   game games level quiz question questions answer answers equation equations fraction fractions sum sums planets
   countries capitals president presidents money balance payment payments transfer transaction transactions loan
   mortgage stocks stock portfolio bitcoin crypto currency dollars euros pounds uber taxi ride cab route directions
   map traffic tire tires engine topic subject conversation chat chats memory prompt instructions rules sign mind
   career diet habits world company project-plan resume cv cover website site url link domain blog newsletter
   survey quote quotes fact facts example examples difference definition synonym synonyms translation wax gum rust
   mold mould odor smell limescale ink wrinkles acne mole wart splinter ticks colour color button size layout
   deployment pull merge zone timezone celsius fahrenheit kelvin amount conference socket sockets plug plugs slot slots
   train trains bus buses web internet identity id dialogue stay stays guest
   guests check-in check-out checkin checkout arrival departure itinerary luggage passenger passengers destination fare gate terminal
   airline airport lane speed humidity artist artists genre genres episode episodes lyrics tempo bass headphones speaker speakers
   bulb bulbs heater ac camera cameras sensor limit limits overdraft iban statement statements fee fees charge charges refund refunds
   interest cheque cheques atm withdrawal withdrawals ringtone ringtones caller calls hashtag followers login captcha recipient
   recipients attachment attachments draft drafts spam keyboard cursor pixel formula graph axis footnote heading margin dictionary
   pronunciation calories horoscope lottery odds player players league location locations gps distance units metric version horoscope
   degrees restaurant restaurants cuisine menu reviews review-score showtimes cinema theater concert concerts festival seats
   dates suite jacuzzi spa pool gym-pass loyalty points miles insurance-claim coverage policyholder provider tariff roaming sim data
   minutes-plan router modem signal facebook twitter instagram whatsapp netflix youtube spotify alexa`.split(
    /\s+/,
  ),
);
