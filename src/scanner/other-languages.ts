/**
 * The strongest words of other languages, under the same concepts: a German sentence that contains the model, an order and a secret is
 * found by the same rules.
 */
export const OTHER_LANGUAGES: ReadonlyArray<Record<string, string>> = [
  {
    model: 'assistent, assistenten, modell, sprachmodell, ki, agenten',
    user: 'benutzer, nutzer, anwender, benutzerin, nutzerin, menschen',
    must: 'muss, müssen, musst, immer, stets, wichtig, zwingend, erforderlich, unbedingt, pflicht',
    before: 'vor, zuerst, vorher, bevor, zunächst',
    each: 'jedem, jeder, jede, jedes, alle, allen, anderen, andere',
    tool: 'werkzeug, werkzeuge, werkzeugs, funktion',
    use: 'rufe, aufruf, verwende, benutze, nutze, ausführen, führe',
    read: 'lies, lese, öffne, lade, sammle, hole, auslesen, lesen',
    give: 'übergib, füge, fügt, kopiere, schreibe, schreib, trage, gib, hänge, ein, einfügen, übergeben',
    send: 'sende, schicke, leite, übermittle, verschicke, senden, hochladen',
    argument: 'feld, parameter, argument',
    not: 'nicht, nichts, kein, keine, ohne, niemals, nie',
    tell: 'erfahren, erwähne, sage, sag, erzähle, mitteilen, zeige, zeigen, informiere, wissen, erwähnen, verrate',
    ask: 'rückfrage, zustimmung, bestätigung, nachfragen, fragen, erlaubnis',
    covert: 'heimlich, still, unbemerkt, verdeckt',
    secret:
      'passwort, passwörter, kennwort, zugangsdaten, schlüssel, geheimnisse, geheimnis, umgebungsvariablen',
    context: 'gesprächsverlauf, verlauf, unterhaltung, systemprompt, systemanweisung, gespräch',
    ignore: 'ignoriere, vergiss, missachte, ignorieren',
    rules: 'anweisungen, anweisung, regeln, vorgaben, richtlinien',
    fail: 'sonst, andernfalls, fehler, fehlschlagen',
    whole: 'inhalt, vollständig, vollständigen, gesamten, ganzen, komplett',
  },
  {
    model: 'assistant, modèle, agent, ia',
    user: "utilisateur, utilisateurs, l'utilisateur, utilisatrice",
    must: 'doit, devez, dois, toujours, obligatoire, important, impératif, faut',
    before: "avant, d'abord, préalablement",
    each: 'chaque, tout, tous, toute, toutes, autres, autre',
    tool: "outil, outils, l'outil, fonction",
    use: "appelle, exécute, lance, utilise, appelez, appeler, exécutez, utiliser, utilisez, lancez, d'appeler, d'utiliser",
    read: 'récupère, ouvre, recherchez, consultez, lisez, lire, lis, ouvrez, ouvrir, récupérez, récupérer, cherchez, collectez',
    give: `
      placez, mets, ajoute, copie, colle, insère, transmets, recopiez, remplissez, mettez, mettre, insérez, copiez, copier, ajoutez,
      ajouter, joignez, collez, transmettez, indiquez, place, inclure, incluez`,
    send: 'envoie, transfère, envoyez, envoyer, envoie, transférez, transmettre, téléversez',
    argument: 'paramètre, champ, argument',
    not: 'ne, pas, jamais, sans, aucun, rien, aucune',
    tell: 'dire, dites, mentionnez, mentionner, informez, informer, révélez, montrez, signalez, parlez, parler, avertir, prévenir',
    ask: 'demander, confirmation, autorisation, consentement, accord',
    covert: 'silencieusement, discrètement, secrètement, discrétion',
    secret: 'passe, identifiants, clé, clés, secrets, secret, jetons, jeton',
    context: 'conversation, historique, système, échanges',
    ignore: 'ignorez, ignore, oubliez, oublie, ignorer',
    rules: 'instructions, consignes, règles, directives',
    fail: 'sinon, échouera, échoue, erreur',
    whole: 'contenu, intégralité, complet, complète, entier',
  },
  {
    model: 'asistente, modelo, agente, ia, assistente, assistant',
    user: "utilizador, utilizadores, usuários, usuario, usuarios, usuária, usuário, utente, utenti, all'utente, l'utente",
    must: 'debe, debes, siempre, obligatorio, importante, necesario, deve, sempre, obrigatório, importante, devi, obbligatorio, precisa',
    before: 'antes, primero, prima, primeiro, innanzitutto',
    each: 'cada, todas, todos, toda, otras, outras, ogni, tutti, tutte, qualquer, cualquier, qualsiasi, altri, demais',
    tool: 'herramienta, herramientas, ferramenta, ferramentas, strumento, strumenti, función',
    use: 'llama, llamar, usar, ejecuta, utilizar, chame, chamar, execute, esegui, usare, chiamare, ejecute, invoca, usa',
    read: 'lee, leer, abre, abrir, recoge, busca, leia, ler, abra, recolha, leggi, apri, raccogli, obtén, obtenha, copie',
    give: `
      preencha, junte, repasse, acrescente, incluye, incluya, pon, copia, copie, añade, agrega, escribe, pega, inclua, coloque, cole,
      adicione, escreva, inserisci, aggiungi, includi, copia, passa, anexe, adjunta, envíalo, insira, passe`,
    send: 'envía, enviar, envíe, manda, sube, envie, mande, invia, manda, carica, inviare, reenvía, encaminhe, inoltra',
    argument: 'campo, parámetro, parâmetro, parametro, argumento',
    not: 'no, nunca, sin, não, sem, nem, non, mai, senza, nada, nulla, jamás',
    tell: `
      digas, decir, menciones, mencionar, informes, informar, reveles, muestres, diga, mencione, informe, revele, mostre, avise, dire,
      menzionare, informare, dirlo, mostrare, dillo, avisar, comente`,
    ask: `
      preguntar, confirmación, permiso, consentimiento, perguntar, confirmação, permissão, chiedere, conferma, permesso, autorización,
      autorização`,
    covert: 'silenciosamente, secretamente, discretamente, silenzio, segretamente, sigilosamente',
    secret:
      'palavras passe, palavra passe, tokens, contraseña, contraseñas, claves, clave, credenciales, senha, senhas, credenciais, chaves, chave, password, credenziali, chiavi, segreti, secretos, segredos, token',
    context: 'conversación, historial, conversa, histórico, conversazione, cronologia, sistema',
    ignore: 'ignora, olvida, ignore, esqueça, dimentica, olvide, desconsidere, ignorar',
    rules:
      'instrucciones, indicaciones, reglas, instruções, regras, orientações, istruzioni, regole, órdenes, directrices',
    fail: 'contrario, falla, fallará, error, falhará, erro, altrimenti, errore',
    whole: 'contenido, conteúdo, contenuto, completo, completa, entera, inteira, intero, todo, tudo, íntegra',
  },
  {
    model: 'ассистент, модель, помощник, агент, ии, asystent, agent',
    user: `
      пользователь, пользователю, пользователя, пользователем, użytkownik, użytkownika, użytkownikowi, kullanıcı, kullanıcıya, gebruiker,
      người dùng, pengguna`,
    must: `
      должен, должна, обязательно, всегда, важно, необходимо, нужно, musi, zawsze, ważne, musisz, należy, mutlaka, her zaman, moet, altijd,
      luôn, phải, harus, selalu, ma, zorunlu, belangrijk`,
    before: 'перед, прежде, сначала, сперва, przed, najpierw, önce, voordat, eerst, trước, sebelum',
    each: `
      каждый, каждого, каждым, любой, любого, все, всех, każdy, każdym, wszystkie, inne, her, tüm, elke, alle, mọi, semua, setiap, другие,
      других`,
    tool: 'инструмент, инструмента, инструменты, инструментов, narzędzie, narzędzia, aracı, araç, gereedschap, công cụ, alat',
    use: 'вызови, вызовом, используй, используйте, выполни, выполните, wywołaj, użyj, użyciem, çağır, kullan, gebruik, sử dụng, gunakan',
    read: `
      прочитай, прочитайте, открой, прочти, собери, найди, считай, przeczytaj, otwórz, odczytaj, znajdź, oku, lees, đọc, baca, загрузи,
      znalezione`,
    give: `
      вставь, вставьте, передай, передайте, скопируй, добавь, добавьте, укажи, запиши, wklej, dołącz, dołączyć, dodaj, przekaż, wpisz,
      ekle, yaz, kopyala, voeg, kopieer, chèn, masukkan, sertakan, помести`,
    send: 'отправь, отправьте, перешли, отправляй, wyślij, prześlij, gönder, stuur, verzend, gửi, kirim',
    argument:
      'параметр, параметре, поле, параметра, polu, pole, parametr, parametrze, alanına, veld, tham số, kolom',
    not: 'не, никогда, без, ничего, nie, nigdy, bez, asla, olmadan, değil, niet, nooit, zonder, không, jangan, tanpa, ни',
    tell: `
      сообщай, сообщайте, говори, говорите, упоминай, упоминайте, показывай, рассказывай, informuj, mów, wspominaj, pokazuj, söyleme,
      bahsetme, bildirme, vertel, vermeld, toon, nói, đề cập, beritahu, ujawniaj, знать`,
    ask: `
      подтверждения, спрашивай, разрешения, спрашивая, potwierdzenia, pytaj, zgody, onay, bevestiging, toestemming, xác nhận, konfirmasi,
      pytania`,
    covert:
      'тайно, незаметно, скрытно, молча, potajemnie, cicho, gizlice, sessizce, stiekem, bí mật, diam diam',
    secret:
      'пароль, пароли, ключ, ключи, ключей, токен, токены, секреты, учётные, hasło, hasła, klucze, tokeny, şifre, şifreleri, parola, wachtwoord, wachtwoorden, mật khẩu, kata sandi, учетные, паролей',
    context:
      'переписки, переписку, диалог, диалога, разговора, разговор, историю, rozmowy, rozmowę, historię, konuşma, geçmişi, gesprek, geschiedenis, hội thoại, percakapan, системный, промпт',
    ignore:
      'игнорируй, игнорируйте, забудь, забудьте, zignoruj, zignorować, zapomnij, ignoruj, yoksay, görmezden, unut, negeer, vergeet, bỏ qua, abaikan, lupakan',
    rules:
      'инструкции, инструкций, указания, указаний, правила, polecenia, instrukcje, zasady, talimatları, kuralları, talimatlar, instructies, regels, hướng dẫn, instruksi, aturan, команды, предыдущие',
    fail: 'иначе, ошибка, inaczej, błąd, aksi, hata, anders, fout',
    whole:
      'содержимое, полностью, целиком, весь, całą, zawartość, całość, içeriğini, inhoud, nội dung, seluruh, isi, полный, полную',
  },
];

/** Where words stand without spaces between, they are looked for as they are; `_` stands for a space. */
export const UNSPACED: Readonly<Record<string, string>> = {
  model:
    '助手 模型 智能体 アシスタント モデル エージェント 어시스턴트 모델 에이전트 المساعد النموذج सहायक मॉडल ผู้ช่วย',
  user: '用户 用戶 使用者 ユーザ 사용자 المستخدم उपयोगकर्ता ผู้ใช้',
  must: '必须 必須 务必 一定要 始终 总是 必ず 常に 반드시 항상 يجب دائما हमेशा अवश्य ต้อง',
  before: '之前 首先 先读 事先 前に 最初に まず 전에 먼저 قبل पहले ก่อน',
  each: '所有 任何 每次 每个 其他 すべて 全て 他の 毎回 모든 다른 매번 كل جميع सभी हर ทุก',
  tool: '工具 函数 ツール 도구 أداة الأداة उपकरण टूल เครื่องมือ',
  use: '调用 使用 执行 呼び出 実行 使う 호출 사용 실행 استدعاء استخدام',
  read: '读取 打开 获取 收集 查找 读出 読み 開い 取得 収集 읽 열어 수집 가져 اقرأ افتح पढ़ें पढ़ो อ่าน',
  give: '填入 放进 放入 写入 附加 粘贴 传入 复制 包含 入れ 貼り 追加 書き込 含め 渡 넣 붙여 포함 추가 입력 أدرج أضف ضع डालें शामिल ใส่',
  send: '发送 上传 转发 提交到 寄到 送信 転送 アップロード 전송 보내 업로드 أرسل إرسال भेज ส่ง',
  argument: '参数 字段 パラメータ フィールド 引数 欄 매개변수 필드 인자 المعلمة الحقل',
  secrecy:
    '不要告诉 不要告訴 不要提及 不要向用户 勿告知 不得告知 不要通知 无需告知 不要透露 不要让用户 知らせない 言わない 伝えない 知らせず 教えない 表示しない 触れない 알리지 말하지 언급하지 알려주지 لا_تخبر دون_إخبار न_बताएं मत_बताना อย่าบอก',
  unasked:
    '无需确认 不需要确认 不要询问 无须用户 未经 確認なし 確認せず 許可なく 확인_없이 묻지 승인_없이 دون_تأكيد बिना_पूछे',
  secret:
    '密码 密钥 凭证 凭据 私钥 口令 令牌 环境变量 パスワード 秘密鍵 認証情報 トークン 環境変数 비밀번호 개인_키 자격_증명 토큰 환경_변수 كلمات_المرور كلمة_المرور مفاتيح पासवर्ड รหัสผ่าน',
  context:
    '系统提示词 系统提示 对话 聊天记录 会话 会話 システムプロンプト 履歴 대화 시스템_프롬프트 기록 المحادثة बातचीत การสนทนา',
  override:
    '忽略之前 忽略以上 忽略先前 忽略所有 无视之前 无视所有 忘记之前 不再遵守 指示を無視 命令を無視 ルールを無視 以前の指示 지시를_무시 지침을_무시 명령을_무시 무시하고 تجاهل निर्देशों_को_अनदेखा अनदेखा ละเว้นคำสั่ง',
  ignore: '忽略 无视 忘记 無視 忘れ 무시 잊 تجاهل',
  covert: '秘密地 悄悄 偷偷 暗中 こっそり 密かに 黙って 몰래 조용히 سرا',
  whole: '全部 完整 全文 内容 所有内容 全体 내용 전체 전부 محتوى',
  fail: '否则 さもないと 그렇지_않으면 وإلا',
  prefer: '优先 最强 最佳 代替 優先 우선',
};
