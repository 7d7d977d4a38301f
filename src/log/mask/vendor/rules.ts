import {
  BASE64,
  BEARER,
  DOTTED,
  HEX,
  LETTER_DIGIT,
  PADDED,
  PATH,
  UPPER_DIGIT,
  URL_SAFE,
  UUID,
  WORD,
} from '../characters.ts';

/** A token of one vendor: a fixed beginning, then so many characters of a class. */
export interface VendorRule {
  kind: string;
  prefix: string;
  body: Uint8Array;
  min: number;
  /** What is longer is something else. */
  max: number;
  /** The beginning itself is public and stays readable. It is also a word of prose, so what follows must have a digit or be long. */
  keepPrefix?: boolean;
}

const CLASSES: Readonly<Record<string, Uint8Array>> = {
  hex: HEX,
  alnum: LETTER_DIGIT,
  upper: UPPER_DIGIT,
  word: WORD,
  url: URL_SAFE,
  dotted: DOTTED,
  padded: PADDED,
  base64: BASE64,
  bearer: BEARER,
  path: PATH,
  uuid: UUID,
};

// One line a kind: its name, the class of characters, how many of them at least (and at most), and the beginnings. Tokens that are cut short
// or made up for a test are masked too, so most minima are below the length that the vendor uses; beginnings that are short, or parts of
// words, ask for the exact length.
const TABLE = `
mcpproxy-token word 30 mcpp_
1password-key dotted 24-40 A3-
1password-token base64 40 ops_eyJ
adafruit-key alnum 24 aio_
adobe-secret alnum 32-32 p8e-
age-key word 40 AGE-SECRET-KEY-
airtable-token dotted 79-79 pat
alibaba-key-id alnum 12-24 LTAI
anthropic-key url 16 sk-ant-
apify-token alnum 30 apify_api_
artifactory-token alnum 59-80 AKCp cmVmd
atlassian-token padded 30 ATATT ATCTT ATBB ATSTT
authress-key padded 40 authress_ scauth_ ext_ sc_
aws-key-id upper 16-16 AKIA ASIA ABIA ACCA A3T
aws-bedrock-key base64 40 ABSK
aws-bedrock-key base64 20 bedrock-api-key-
beamer-token padded 44-46 b_
bitbucket-token base64 36 BBDC-
brevo-key url 60 xkeysib- xsmtpsib-
buildkite-token alnum 32 bkua_ bkct_ bkaj_
cerebras-key alnum 30 csk-
circleci-token word 40 CCIPAT_ CCIPRJ_
clickhouse-key alnum 38-38 4b1d
clojars-token alnum 40 CLOJARS_
cloudflare-token alnum 36 cfut_ cfat_ cfk_
cloudflare-ca-key url 100 v1.0-
contentful-token url 30 CFPAT-
databricks-token url 32-34 dapi
datadog-key alnum 30 ddp_ ddw_ ddapp_
defined-token padded 40 dnkey-
dfuse-key hex 32-32 web_
digitalocean-token word 32 dop_v1_ doo_v1_ dor_v1_
docker-token url 20 dckr_pat_ dckr_oat_
doppler-token dotted 36 dp.pt. dp.ct. dp.st. dp.sa. dp.scim. dp.audit.
dropbox-token url 60 sl.
duffel-token padded 30 duffel_test_ duffel_live_
dynatrace-token dotted 40 dt0c01. dt0s01. dt0s02. dt0s06. dt0s16.
easypost-key alnum 50-60 EZAK EZTK
endor-token url 16-20 endr+
facebook-token alnum 80 EAA
figma-token padded 36 figd_ figp_
fleetbase-key alnum 16 flb_live_ flb_test_
flutterwave-key url 10 FLWSECK_TEST- FLWSECK- FLWPUBK_TEST- FLWPUBK-
flyio-token bearer 40 fo1_ fm1a_ fm1r_ fm2_
frameio-token padded 40 fio-u-
gemini-key url 40-60 AQ.
github-token word 16 ghp_ gho_ ghu_ ghs_ ghr_ github_pat_
gitlab-token dotted 16 glpat- gldt- glft- glffct- glcbt- glptt- glrt- glrtr- glimt- glagent- gloas- glsoat- glwt- GR1348941
gocardless-token padded 40-44 live_ sandbox_
google-key url 30 AIza
google-secret url 16 GOCSPX-
google-token url 16 ya29. 1//0
gitlab-cookie alnum 32 _gitlab_session=
grafana-token word 32 glc_ glsa_
grafana-token base64 60 eyJrIjoi
groq-key alnum 30 gsk_
harness-token dotted 60-80 pat. sat.
heroku-key url 40 HRKU-
hubspot-token uuid 36-36 pat-na1- pat-eu1- pat-na2-
huggingface-token alnum 30-40 hf_ api_org_
infracost-token alnum 32-32 ico-
intra42-secret hex 60 s-s4t2ud- s-s4t2af- u-s4t2ud- u-s4t2af-
langchain-key word 36 lsv2_pt_ lsv2_sk_ ls__
langfuse-key url 30 sk-lf- pk-lf-
lark-token dotted 24-60 u-f t-f
launchdarkly-token uuid 36-36 api- sdk- mob-
linear-key word 30 lin_api_ lin_oauth_
lob-key hex 31-35 live_pub_ test_pub_
lob-key hex 35-35 live_ test_
mailchimp-key url 32-36 md-
mailgun-key hex 32-32 key- pubkey-
mailersend-token dotted 40 mlsn.
mapbox-token dotted 60 pk. sk. tk.
mercury-token url 30 secret-token:
mercadopago-token url 40 APP_USR-
microsoft-token dotted 100 0.A 1.A EwB EwA
midtrans-key url 20 Mid-server- SB-Mid-server-
newrelic-key url 18 NRAK- NRII- NRIQ- NRJS- NRBR- NRRA- NRAA- NRSP-
nightfall-key alnum 32-32 NF-
notion-token alnum 40-50 ntn_ secret_
npm-token word 30 npm_
nuget-key alnum 43-43 oy2
netlify-token alnum 30 nfp_ nfc_ nfu_ nfo_ nfb_
nvidia-key url 50 nvapi-
octopus-key upper 26-36 API-
okta-token url 40-40 00
onesignal-key alnum 50 os_v2_app_ os_v2_org_
openai-key url 16 sk-
openrouter-key hex 40 sk-or-v1-
openshift-token url 40-48 sha256~
paddle-key word 40 pdl_live_apikey_ pdl_sdbx_apikey_ pdl_
pganalyze-key alnum 20 pgar_ pgaw_
perplexity-key alnum 40 pplx-
pinecone-key word 50 pcsk_
plaid-token uuid 36-36 access-sandbox- access-development- access-production-
planetscale-token padded 30 pscale_tkn_ pscale_pw_ pscale_oauth_
polar-token alnum 32 polar_pat_ polar_oat_
portainer-token base64 40-50 ptr_
postman-key url 50 PMAK- PMAT-
posthog-key word 40 phx_
prefect-token alnum 30 pnu_ pnb_
packagist-token word 60-100 packagist_
pubnub-key uuid 36-36 pub-c- sub-c- sec-c-
pulumi-token alnum 30-50 pul-
pypi-token url 32 pypi-
ramp-secret alnum 40 ramp_id_ ramp_sec_
razorpay-key alnum 14-14 rzp_live_ rzp_test_
readme-token alnum 60-80 rdme_
robinhood-key url 36-36 rh-api-
render-token url 20 rnd_
replicate-token url 30-44 r8_
resend-key word 30-40 re_
rootly-token hex 60-70 rootly_
rubygems-token alnum 40 rubygems_
salad-token word 24 salad_cloud_
salesforce-token padded 80 3MVG9 5AEP861
scalingo-token url 40-60 tk-us- tk-eu-
segment-token alnum 41-60 sgp_
sendgrid-key padded 32 SG.
sentry-token hex 64-64 sntryu_
sentry-token padded 40 sntrys_ sntrya_ sntryi_
settlemint-token alnum 16-24 sm_aat_ sm_pat_ sm_sat_
shippo-token hex 36-44 shippo_live_ shippo_test_
shopify-token word 24 shpat_ shpca_ shppa_ shpss_ shptka_ shltm_
slack-token url 18 xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxs- xapp-
slack-token url 11 xoxa- xoxr-
snyk-token dotted 36 snyk_uat. snyk_sat.
sonar-token alnum 40-60 squ_ sqp_ sqa_ sqco_
sourcegraph-token word 36 sgp_ sgph_ slk_ sgd_ sgs_ sams_
square-token url 22-80 EAAA sq0atp- sq0csp-
stripe-key word 10 sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_
stripe-secret word 40 pi_ seti_
stytch-secret url 30 secret-live- secret-test-
supabase-token word 30 sbp_ sb_secret_
svix-token padded 30 testsk_ sk_svix_
tailscale-key url 20 tskey-
teamwork-token padded 40 tkn.v1_
together-key alnum 40 tgp_v1_
trello-token alnum 60 ATTA
trigger-key alnum 18-40 tr_dev_ tr_prod_ tr_pat_
twilio-key hex 32-32 SK AC
typeform-token padded 36 tfp_
ubidots-token alnum 30-40 BBFF- BBUS-
vagrant-token dotted 60 atlasv1.
vault-token url 24 hvs. hvb. hvr.
vault-token alnum 24-24 s.
vercel-token alnum 24 vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_
voiceflow-key dotted 36 VF.
volcengine-key alnum 40-60 AKLT
voyage-key url 40-50 pa-
wakatime-key uuid 36-36 waka_ waka_tok_ waka_sec_
webhook-secret bearer 16 whsec_
weightsandbiases-key alnum 40 wandb_v1_
xai-key word 50 xai-
yandex-key url 35-58 AQVN YCAJ YCM YC y0_
yandex-token padded 60 t1.
zoho-token dotted 60 1000.
zuplo-key word 40 zpka_
jwt base64 60 ZXlK
twitter-token bearer 80 AAAAAAAAAAAAAAAAAAAAA
`;

// Addresses that let anybody who knows them write: the host stays readable.
const ADDRESSES = `
webhook-url path 24 hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/
webhook-url path 60 discord.com/api/webhooks/ discordapp.com/api/webhooks/ webhook.office.com/webhookb2/
webhook-url path 12 hooks.zapier.com/hooks/catch/ tines.com/webhook/ maker.ifttt.com/use/
`;

const rowsOf = (line: string): VendorRule[] => {
  const [kind, body, range, ...prefixes] = line.split(' ');
  const [min, max] = range!.split('-').map(Number);
  return prefixes.map((prefix) => ({
    kind: kind!,
    prefix,
    body: CLASSES[body!]!,
    min: min!,
    max: max ?? Infinity,
  }));
};

/** Longer beginnings come first, so that the most exact one decides. */
export const VENDOR_RULES: readonly VendorRule[] = [
  ...TABLE.trim().split('\n').flatMap(rowsOf),
  ...ADDRESSES.trim()
    .split('\n')
    .flatMap(rowsOf)
    .map((rule) => ({ ...rule, keepPrefix: true })),
  { kind: 'bearer-token', prefix: 'bearer ', body: BEARER, min: 8, max: Infinity, keepPrefix: true },
].sort((a, b) => b.prefix.length - a.prefix.length);
