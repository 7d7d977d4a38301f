import type { OrderRule } from './order-rules.ts';

/** Orders that are recognised by their signs: headings and marks of a prompt. Every repetition is bounded, so the time is linear. */
const MARKED: ReadonlyArray<readonly [OrderRule, RegExp]> = [
  [
    'false-authority',
    /(?:#{2,6}|={3,9}|-{3,9}|\*{2,9}|\[{1,3}|<{1,3}|\{{1,3}|\|)[ \t]{0,4}(?:new |updated |important |urgent |end of |begin |start |critical )?(?:system|developer|admin|administrator|root|assistant) {0,2}(?:message|prompt|instructions?|notice|override|update|mode|commands?|alert|note|directive|reset)\b/i,
  ],
  ['false-authority', /<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[\/?INST\]|<<\/?SYS>>/i],
  [
    'false-authority',
    /<(?:系统模式|系统|系統|システムモード|시스템 모드|режим системы|modo sistema|mode système)>/i,
  ],
  ['false-authority', /<(?:[\p{L}]{1,20} ){0,2}(?:mode|modus|modo)(?: [\p{L}]{1,20})?>/iu],
  [
    'direct-order',
    /[#=*-]{2,9}[ \t]{0,4}(?:new|updated|real|actual) (?:instructions?|task|directive|objective|prompt)\b/i,
  ],
];
const MAY_BE_MARKED = /[#=*|[<{-][ \t]{0,4}[|/]?[\p{L}]/u;

/** Orders in languages that put no spaces between words, or change the ends of words. */
const UNSPACED: ReadonlyArray<readonly [OrderRule, RegExp]> = [
  ['direct-order', /(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不用管|抛开|绕过|忽視).{0,10}(?:之前|以上|先前|前面|此前|所有|一切|原有|上述|以前|任何|你的|系统|早期).{0,8}(?:指令|指示|提示|说明|說明|命令|规则|規則|要求|设定|限制|对话|任务|约束|话)/],
  ['direct-order', /(?:これまで|以前|上記|今まで|前|すべて|全て|先ほど|システム|元|過去).{0,8}(?:指示|命令|プロンプト|ルール|指令|制約|設定|会話|文脈|規則).{0,12}(?:無視|忘れ|破棄|従わない|上書き)/],
  ['direct-order', /(?:이전|앞선|위의|모든|지금까지|기존|시스템).{0,10}(?:지시|명령|지침|규칙|프롬프트|설명|안내).{0,8}(?:무시|잊)/],
  ['direct-order', /(?:تجاهل|انس|انسَ).{0,20}(?:التعليمات|الأوامر|القواعد|تعليمات|السابقة)/],
  ['direct-order', /(?:पिछले|पिछली|पूर्व|सभी|पहले|अपने|उन).{0,14}(?:निर्देश|आदेश|नियम).{0,40}(?:अनदेखा|भूल|नज़रअंदाज़|नजरअंदाज|उपेक्षा)/],
  ['direct-order', /(?:পূর্ববর্তী|আগের|সব|সমস্ত|পূর্বের).{0,14}(?:নির্দেশ|নিয়ম).{0,20}(?:উপেক্ষা|ভুলে)/],
  ['direct-order', /(?:ละเว้น|เพิกเฉย|ลืม|ไม่สนใจ|ไม่ต้องสนใจ).{0,14}(?:คำสั่ง|คําสั่ง|คําแนะนํา|คำแนะนำ|กฎ)/],
  ['role-change', /你现在是|你現在是|从现在开始.{0,6}你|你将扮演|假装你?是|扮演.{0,10}(?:角色|助手)|(?:进入|启动|开启).{0,6}(?:开发者|维护|越狱|调试)模式/],
  ['role-change', /あなたは(?:今から|これから|もう)|(?:今|これ)から(?:あなた|君)|になりきって|開発者モード(?:を|に)/],
  ['role-change', /(?:너는|당신은) 이제|지금부터 (?:너|당신)|개발자 모드(?:를|로)/],
  ['prompt-leak', /(?:显示|输出|告诉我|泄露|透露|打印|重复|给出|说出).{0,10}(?:系统提示|提示词|系统指令|你的指令|初始指令|你的密码|你的密钥)/],
  ['prompt-leak', /(?:システムプロンプト|あなたの指示|初期指示|秘密鍵|秘密の鍵).{0,10}(?:表示|教え|出力|公開|明かし|何です)/],
  ['prompt-leak', /(?:시스템 프롬프트|너의 지시|당신의 지시|비밀 키).{0,10}(?:보여|알려|출력|공개|무엇)/],
]; // prettier-ignore
const LATIN = /^[\u0000-\u024f\u2000-\u206f]*$/;

/** The rules that a text matches by its signs. */
export function orderShapes(text: string): OrderRule[] {
  const found = MAY_BE_MARKED.test(text) ? matching(MARKED, text) : [];
  return LATIN.test(text) ? found : [...found, ...matching(UNSPACED, text)];
}

const matching = (rules: typeof MARKED, text: string) =>
  rules.filter(([, pattern]) => pattern.test(text)).map(([rule]) => rule);
