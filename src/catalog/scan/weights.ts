// Made by scripts/train-scanner.ts; not to be changed by hand.

/** The weight of a text that says nothing, and the one from which a passage is worth a look. */
export const START = -94;
export const ENOUGH = -15;

/** Of each composition, in the order of their table. */
// prettier-ignore
export const COMPOSED: readonly number[] = [
  20, 18, 22, 19, 10, 16, 21, 23, 17, 21, 21, 12, 17, 18, 16, 10, 15, 13, 13, 22, 20, 17, 14, 32, 17, 21, 18, 21, 17, 17, 19, 20, 12, 11, 16,
  18, 18, 11, 12, 16, 11, 15, 10, 18, 19, 13, 18, 13, 16, 15, 16, 14, 17, 16, 20, 17, 17, 15, 15, 16, 22, 16, 10, 13, 17, 23, 12, 16, 16, 16,
  19, 15, 16, 14, 10, 16, 21, 21, 29, 9, 15, 7, 16, 21, 18, 13, 17, 21, 18, 21, 19, 20, 15, 17, 15, 20, 16, 19, 15, 23, 18, 23, 22, 23, 32, 19,
  21, 20, 19, 17, 22, 24, 20, 15, 15, 13, 18, 9, 13, 15, 11, 15, 10, -2, -2, -3, -1, -1, -6, -4, -2, -6,
  -1
];

/** Of two concepts in one sentence. */
export const PAIRS = `
model:model:-13 model:you:-1 model:must:2 model:should:-2 model:after:-1 model:each:-1 model:this:4 model:request:-7 model:use:-4 model:read:-4
model:send:-1 model:alter:-4 model:destroy:-2 model:argument:-1 model:instead:1 model:rules:-4 model:limits:-2 model:ignore:-2 model:earlier:-2
model:not:-1 model:fail:-1 model:reason:-3 model:secret:-2 model:private:-1 model:context:-2 model:plain:-3 model:otherName:-6 model:twoNames:-3
model:ownName:-1 model:ownArgument:-2 model:place:1 model:softMark:-2 model:loud:-2 model:value:-2 model:secrets:-2 model:ownContext:-1 you:you:4
you:user:2 you:must:11 you:should:12 you:when:-11 you:each:6 you:whole:2 you:this:1 you:tool:-3 you:request:2 you:elsewhere:-3 you:use:7
you:read:2 you:give:-2 you:send:-1 you:alter:5 you:destroy:11 you:argument:6 you:regardless:-2 you:rules:2 you:limits:-4 you:ignore:1
you:earlier:-4 you:not:2 you:tell:4 you:ask:4 you:covert:-1 you:fail:-1 you:reason:5 you:talk:-3 you:private:3 you:context:-4 you:fake:1
you:detect:-1 you:recipient:-1 you:prefer:-3 you:plain:3 you:exposed:4 you:consent:-3 you:otherName:15 you:twoNames:5 you:ownName:-2
you:literal:7 you:place:2 you:url:2 you:mailbox:2 you:mark:1 you:softMark:-1 you:loud:-6 you:negated:3 you:secrets:7 you:slot:7 you:override:1
you:untold:3 you:secrecy:3 you:ownShell:-1 you:ownSend:-2 user:user:2 user:must:8 user:should:9 user:before:-2 user:when:2 user:after:-4
user:whole:2 user:this:4 user:tool:1 user:request:1 user:elsewhere:-2 user:use:1 user:read:1 user:give:1 user:alter:1 user:destroy:-1
user:argument:-2 user:regardless:-1 user:instead:5 user:priority:6 user:rules:1 user:limits:3 user:ignore:4 user:earlier:3 user:not:4 user:hide:3
user:ask:-7 user:covert:-3 user:auto:-2 user:fail:-2 user:reason:2 user:secret:8 user:talk:-2 user:private:4 user:context:-4 user:shell:2
user:detect:-2 user:recipient:-1 user:prefer:4 user:plain:-3 user:toModel:1 user:exposed:-3 user:consent:-2 user:otherName:-3 user:twoNames:6
user:ownName:3 user:ownArgument:-1 user:literal:-2 user:url:-3 user:mark:1 user:softMark:-1 user:loud:-3 user:value:-1 user:negated:-2
user:scope:2 user:slot:2 user:untold:2 user:secrecy:3 user:unasked:-4 user:ownSecret:-2 user:ownSend:-3 user:ownContext:-2 must:must:1
must:should:-2 must:before:-8 must:when:-7 must:after:-4 must:each:12 must:whole:4 must:this:6 must:tool:-1 must:request:-1 must:elsewhere:-3
must:use:5 must:read:9 must:give:3 must:send:6 must:alter:4 must:destroy:1 must:argument:2 must:regardless:1 must:instead:2 must:rules:6
must:limits:-4 must:earlier:3 must:not:3 must:hide:-1 must:covert:2 must:fail:-5 must:private:2 must:context:5 must:shell:-3 must:detect:-3
must:recipient:1 must:prefer:1 must:plain:1 must:toModel:-4 must:approved:-2 must:exposed:4 must:consent:-4 must:otherName:9 must:twoNames:-4
must:ownName:-2 must:ownArgument:1 must:literal:2 must:place:1 must:url:-4 must:mailbox:-1 must:mark:5 must:value:-4 must:negated:-5 must:scope:1
must:secrets:-1 must:slot:4 must:untold:-1 must:secrecy:-5 must:unasked:7 must:ownSend:-2 should:should:3 should:before:4 should:each:2
should:whole:1 should:this:-4 should:tool:-2 should:use:-3 should:read:5 should:give:1 should:send:1 should:destroy:8 should:argument:2
should:instead:1 should:rules:1 should:earlier:3 should:not:3 should:ask:2 should:fail:1 should:context:2 should:plain:-3 should:toModel:-2
should:otherName:9 should:literal:2 should:place:1 should:loud:-1 should:value:1 should:secrets:1 should:slot:1 should:unasked:-2 before:before:4
before:when:-9 before:after:-5 before:each:-3 before:whole:5 before:this:-11 before:tool:-2 before:request:-1 before:elsewhere:8 before:use:8
before:read:2 before:give:5 before:send:2 before:alter:-4 before:destroy:7 before:argument:-2 before:instead:-3 before:rules:-3 before:limits:-1
before:ignore:5 before:earlier:-1 before:not:-6 before:tell:2 before:fail:-3 before:reason:4 before:secret:1 before:talk:-1 before:private:3
before:context:-3 before:shell:-1 before:plain:-3 before:approved:1 before:exposed:1 before:boast:2 before:consent:-3 before:otherName:11
before:twoNames:15 before:ownName:2 before:ownArgument:-2 before:literal:6 before:place:4 before:url:1 before:mailbox:4 before:mark:1
before:value:-4 before:scope:-2 before:secrets:2 before:slot:4 before:override:1 before:unasked:1 before:ownSecret:-1 when:when:-6 when:after:-4
when:each:-4 when:whole:-1 when:this:-13 when:tool:-2 when:elsewhere:-3 when:use:3 when:read:-7 when:give:-6 when:send:-1 when:alter:11
when:destroy:5 when:argument:3 when:regardless:3 when:instead:1 when:limits:2 when:ignore:-4 when:earlier:-3 when:not:-2 when:covert:-3
when:auto:-1 when:fail:-12 when:reason:1 when:secret:-7 when:talk:-1 when:shell:3 when:fake:3 when:detect:2 when:recipient:1 when:prefer:-5
when:toModel:1 when:exposed:1 when:consent:-1 when:otherName:6 when:twoNames:5 when:ownArgument:2 when:literal:3 when:place:-3 when:url:5
when:mark:1 when:loud:2 when:value:1 when:negated:2 when:secrets:-3 when:taken:-1 when:slot:3 when:override:-1 when:setAside:-2 when:untold:3
when:secrecy:4 when:unasked:2 when:toUser:-2 when:ownSecret:-2 when:ownShell:-1 when:ownSend:-1 when:ownContext:-2 after:after:4 after:this:-5
after:request:-5 after:elsewhere:1 after:use:-5 after:read:1 after:give:1 after:send:3 after:alter:-1 after:destroy:-2 after:argument:2
after:instead:-3 after:priority:1 after:rules:2 after:ignore:1 after:earlier:2 after:not:-2 after:ask:-1 after:fail:-2 after:reason:4
after:talk:1 after:private:4 after:shell:6 after:detect:1 after:recipient:-1 after:plain:4 after:toModel:9 after:exposed:4 after:otherName:-7
after:twoNames:-1 after:ownArgument:7 after:literal:-6 after:place:2 after:url:2 after:mark:3 after:softMark:1 after:loud:-1 after:negated:-1
after:secrets:1 after:slot:-1 after:ownSecret:-1 each:each:-4 each:whole:1 each:this:-3 each:tool:-2 each:request:-1 each:elsewhere:-4 each:use:3
each:give:-4 each:send:5 each:alter:8 each:destroy:-4 each:argument:-9 each:instead:-2 each:rules:1 each:limits:1 each:earlier:9 each:not:-4
each:tell:1 each:ask:4 each:covert:-2 each:auto:-1 each:fail:-4 each:reason:4 each:secret:-5 each:talk:2 each:private:-3 each:context:-1
each:shell:-2 each:detect:-2 each:recipient:-1 each:plain:3 each:toModel:3 each:boast:1 each:otherName:-1 each:twoNames:-3 each:ownName:-1
each:ownArgument:-3 each:literal:-3 each:place:1 each:url:4 each:mark:3 each:softMark:7 each:loud:2 each:value:2 each:negated:-2 each:scope:6
each:secrets:-3 each:taken:-1 each:override:1 each:talks:1 each:unasked:4 each:ownSecret:-1 each:ownSend:-4 each:ownContext:-2 whole:whole:-2
whole:this:-2 whole:tool:3 whole:request:1 whole:elsewhere:6 whole:use:3 whole:read:1 whole:give:5 whole:alter:-1 whole:destroy:-1
whole:argument:1 whole:instead:-1 whole:rules:6 whole:limits:-1 whole:ignore:2 whole:earlier:2 whole:not:-3 whole:tell:2 whole:covert:-1
whole:reason:-1 whole:secret:1 whole:talk:3 whole:context:13 whole:shell:-3 whole:detect:1 whole:recipient:-1 whole:prefer:2 whole:plain:1
whole:exposed:-2 whole:otherName:-6 whole:twoNames:-3 whole:ownArgument:4 whole:literal:-2 whole:place:1 whole:url:-1 whole:mailbox:2
whole:mark:-2 whole:loud:-4 whole:value:2 whole:secrets:1 whole:slot:2 whole:override:3 whole:untold:-1 whole:ownSecret:-1 whole:ownShell:-4
whole:ownSend:-1 this:this:8 this:request:2 this:elsewhere:4 this:read:-5 this:give:2 this:send:10 this:alter:-4 this:destroy:2 this:argument:1
this:priority:5 this:rules:-4 this:limits:2 this:ignore:-4 this:not:4 this:hide:11 this:tell:1 this:ask:-7 this:covert:-1 this:auto:1
this:fail:10 this:reason:20 this:secret:6 this:talk:-2 this:context:10 this:fake:4 this:detect:-3 this:recipient:2 this:prefer:-2 this:plain:-2
this:persona:3 this:approved:5 this:exposed:-4 this:boast:8 this:consent:-3 this:otherName:-8 this:twoNames:-5 this:ownName:-1 this:ownArgument:2
this:literal:12 this:place:5 this:url:2 this:mailbox:-1 this:mark:1 this:softMark:6 this:loud:-11 this:value:6 this:negated:-7 this:scope:4
this:secrets:7 this:taken:-1 this:slot:5 this:override:-1 this:setAside:-2 this:untold:3 this:secrecy:1 this:unasked:-4 tool:tool:-8
tool:request:4 tool:elsewhere:7 tool:use:-3 tool:read:-3 tool:give:2 tool:send:3 tool:alter:5 tool:destroy:3 tool:argument:-3 tool:regardless:1
tool:instead:-2 tool:rules:1 tool:limits:-3 tool:ignore:7 tool:earlier:1 tool:not:-3 tool:tell:-1 tool:ask:-2 tool:fail:2 tool:secret:-3
tool:talk:-1 tool:private:6 tool:context:4 tool:shell:3 tool:fake:1 tool:detect:-1 tool:prefer:2 tool:toModel:2 tool:approved:1 tool:exposed:1
tool:boast:2 tool:consent:-3 tool:otherName:-3 tool:twoNames:-6 tool:ownName:-11 tool:ownArgument:4 tool:literal:2 tool:place:2 tool:mark:1
tool:loud:-2 tool:value:1 tool:scope:3 tool:slot:3 tool:override:1 tool:untold:1 tool:secrecy:2 tool:unasked:-1 tool:ownSecret:-2
tool:ownShell:-2 tool:ownContext:-1 request:request:-8 request:elsewhere:7 request:use:6 request:read:6 request:give:-1 request:destroy:-3
request:argument:-4 request:regardless:2 request:instead:4 request:priority:6 request:limits:2 request:ignore:1 request:earlier:-7 request:not:-1
request:hide:4 request:tell:2 request:ask:-8 request:covert:-1 request:fail:6 request:reason:-3 request:secret:3 request:talk:-8
request:private:-2 request:context:-2 request:shell:-4 request:detect:-8 request:recipient:-2 request:prefer:-8 request:plain:1
request:toModel:-2 request:persona:6 request:approved:1 request:promote:4 request:exposed:4 request:boast:2 request:consent:-3
request:otherName:2 request:twoNames:7 request:ownName:-2 request:ownArgument:-7 request:literal:-9 request:place:6 request:url:5
request:mailbox:2 request:softMark:-2 request:loud:2 request:value:1 request:negated:-1 request:scope:6 request:secrets:1 request:taken:-1
request:slot:1 request:override:-4 request:setAside:-3 request:untold:3 request:secrecy:2 request:unasked:-4 request:toUser:-1
request:ownContext:-1 elsewhere:elsewhere:7 elsewhere:use:7 elsewhere:read:6 elsewhere:argument:-1 elsewhere:instead:-4 elsewhere:not:1
elsewhere:tell:4 elsewhere:fail:-1 elsewhere:reason:-1 elsewhere:secret:5 elsewhere:talk:1 elsewhere:context:3 elsewhere:recipient:2
elsewhere:prefer:1 elsewhere:plain:3 elsewhere:otherName:-1 elsewhere:twoNames:-2 elsewhere:ownArgument:2 elsewhere:literal:-4 elsewhere:place:1
elsewhere:url:1 elsewhere:loud:-5 elsewhere:secrets:5 elsewhere:slot:2 elsewhere:untold:1 elsewhere:secrecy:-2 elsewhere:toUser:-2 use:use:-1
use:read:3 use:give:1 use:send:-2 use:alter:12 use:destroy:6 use:argument:-7 use:regardless:2 use:instead:-5 use:rules:3 use:limits:-5
use:ignore:4 use:earlier:-4 use:not:-5 use:hide:-2 use:tell:-2 use:ask:-1 use:covert:-3 use:auto:5 use:fail:2 use:reason:6 use:secret:-6
use:talk:-1 use:private:-2 use:context:2 use:shell:-1 use:fake:1 use:detect:3 use:recipient:2 use:prefer:-10 use:plain:5 use:toModel:4
use:approved:1 use:exposed:5 use:boast:5 use:consent:-4 use:otherName:12 use:twoNames:12 use:ownName:3 use:ownArgument:1 use:literal:4
use:place:-1 use:mark:-1 use:softMark:4 use:loud:2 use:value:-3 use:negated:-3 use:scope:-2 use:slot:1 use:override:1 use:setAside:-1
use:unasked:4 use:ownShell:-4 read:read:-8 read:give:6 read:alter:-1 read:destroy:-8 read:argument:-2 read:regardless:3 read:priority:6
read:rules:-4 read:limits:-1 read:ignore:-1 read:not:-6 read:tell:5 read:covert:-2 read:auto:6 read:fail:-9 read:reason:-3 read:secret:8
read:talk:-1 read:private:2 read:context:-7 read:shell:-2 read:fake:1 read:detect:4 read:recipient:-2 read:prefer:-7 read:plain:-3 read:persona:3
read:exposed:3 read:boast:3 read:consent:-2 read:otherName:1 read:twoNames:4 read:ownName:2 read:ownArgument:2 read:literal:12 read:place:5
read:url:2 read:mark:1 read:loud:2 read:value:2 read:negated:-1 read:scope:2 read:secrets:2 read:taken:-1 read:slot:7 read:override:-1
read:setAside:-2 read:talks:-1 read:unasked:-2 read:toUser:1 read:ownSend:-1 give:give:-3 give:send:6 give:alter:-2 give:destroy:-4
give:argument:4 give:instead:-3 give:rules:-4 give:limits:-6 give:ignore:-5 give:not:-2 give:ask:-2 give:covert:-1 give:auto:-4 give:fail:-2
give:reason:-5 give:secret:11 give:talk:-7 give:private:-1 give:context:8 give:shell:6 give:fake:1 give:detect:-1 give:recipient:1 give:prefer:4
give:exposed:-1 give:otherName:-6 give:twoNames:-3 give:ownName:1 give:ownArgument:10 give:literal:1 give:place:6 give:url:13 give:mailbox:6
give:mark:2 give:softMark:-1 give:loud:-5 give:value:-2 give:scope:-1 give:secrets:3 give:slot:5 give:talks:-1 give:secrecy:1 give:toUser:-1
give:ownSecret:-1 give:ownSend:-2 send:send:5 send:alter:7 send:destroy:-2 send:argument:3 send:instead:2 send:limits:-1 send:ignore:-5
send:earlier:-1 send:not:1 send:tell:-4 send:ask:-2 send:covert:-1 send:fail:3 send:reason:1 send:secret:8 send:talk:1 send:private:-1
send:context:2 send:shell:3 send:fake:1 send:detect:-5 send:recipient:-5 send:plain:-2 send:exposed:-2 send:otherName:-4 send:twoNames:-4
send:ownArgument:-2 send:literal:2 send:place:4 send:url:8 send:mailbox:3 send:loud:-2 send:value:5 send:secrets:6 send:slot:2 send:override:1
send:untold:1 send:unasked:-2 send:ownSecret:-2 send:ownSend:-2 alter:alter:-7 alter:destroy:-3 alter:argument:3 alter:regardless:2
alter:instead:3 alter:rules:-2 alter:limits:-1 alter:ignore:-1 alter:not:-8 alter:tell:2 alter:ask:-3 alter:covert:-6 alter:auto:-2 alter:fail:-9
alter:secret:-4 alter:talk:2 alter:private:-1 alter:context:3 alter:shell:4 alter:detect:1 alter:recipient:5 alter:prefer:1 alter:plain:1
alter:toModel:1 alter:exposed:5 alter:consent:-1 alter:twoNames:-2 alter:ownName:-1 alter:ownArgument:1 alter:literal:1 alter:place:-1
alter:url:3 alter:mailbox:5 alter:softMark:3 alter:loud:-1 alter:value:-2 alter:scope:3 alter:taken:-1 alter:slot:3 alter:setAside:-1
alter:secrecy:1 alter:toUser:-1 alter:ownSend:-4 destroy:destroy:-5 destroy:argument:-1 destroy:instead:-2 destroy:rules:-1 destroy:ignore:7
destroy:earlier:4 destroy:not:-5 destroy:hide:-2 destroy:tell:-1 destroy:covert:-2 destroy:auto:-2 destroy:fail:3 destroy:reason:3
destroy:secret:-2 destroy:talk:-2 destroy:private:1 destroy:context:-1 destroy:shell:-2 destroy:detect:-2 destroy:recipient:-3 destroy:prefer:-2
destroy:plain:-1 destroy:toModel:2 destroy:consent:-2 destroy:otherName:7 destroy:twoNames:1 destroy:literal:-9 destroy:place:2 destroy:url:2
destroy:mailbox:5 destroy:mark:1 destroy:softMark:1 destroy:loud:-2 destroy:value:2 destroy:negated:-1 destroy:scope:-1 destroy:secrets:1
destroy:taken:1 destroy:slot:5 destroy:ownShell:-3 argument:regardless:-2 argument:instead:5 argument:rules:4 argument:ignore:-3
argument:earlier:1 argument:not:-1 argument:tell:-1 argument:ask:-1 argument:auto:1 argument:reason:-3 argument:secret:-1 argument:private:1
argument:context:5 argument:detect:-2 argument:plain:-4 argument:exposed:-1 argument:otherName:-2 argument:twoNames:-3 argument:ownArgument:5
argument:literal:5 argument:place:2 argument:url:5 argument:softMark:-1 argument:loud:-4 argument:value:3 argument:negated:1 argument:scope:-3
argument:slot:6 argument:talks:-1 argument:ownSecret:-1 argument:ownContext:-1 regardless:regardless:5 regardless:ignore:3 regardless:not:4
regardless:private:2 regardless:fake:7 regardless:plain:3 regardless:twoNames:2 regardless:literal:1 regardless:loud:-2 regardless:negated:3
regardless:slot:2 instead:instead:-1 instead:limits:-1 instead:ignore:-4 instead:earlier:2 instead:not:-5 instead:tell:3 instead:ask:-4
instead:fail:-4 instead:secret:-1 instead:talk:-1 instead:private:-3 instead:context:1 instead:fake:1 instead:detect:-2 instead:recipient:2
instead:prefer:-2 instead:plain:-1 instead:promote:1 instead:exposed:1 instead:consent:-1 instead:otherName:4 instead:twoNames:-3
instead:ownArgument:1 instead:place:-4 instead:mailbox:1 instead:loud:-2 instead:value:-2 instead:scope:1 instead:slot:1 instead:toUser:-1
instead:ownSend:-2 priority:priority:4 priority:rules:2 priority:limits:6 priority:earlier:2 priority:softMark:1 priority:loud:-1 rules:rules:3
rules:limits:1 rules:ignore:7 rules:earlier:1 rules:not:-3 rules:tell:-2 rules:ask:-5 rules:covert:-2 rules:fail:1 rules:reason:-6 rules:secret:8
rules:talk:-1 rules:context:4 rules:detect:-5 rules:plain:5 rules:twoNames:-1 rules:ownArgument:-4 rules:url:-2 rules:mark:1 rules:softMark:1
rules:loud:2 rules:value:3 rules:negated:-2 rules:scope:-1 rules:secrets:-1 rules:slot:5 rules:override:8 rules:secrecy:-1 rules:unasked:-4
rules:ownContext:-1 limits:limits:5 limits:ignore:5 limits:earlier:18 limits:not:-1 limits:tell:-1 limits:ask:4 limits:fail:-2 limits:reason:-1
limits:secret:-3 limits:talk:1 limits:private:-2 limits:detect:-1 limits:prefer:-3 limits:plain:-1 limits:otherName:-5 limits:twoNames:-1
limits:ownName:-1 limits:ownArgument:-2 limits:literal:-4 limits:mark:2 limits:loud:-6 limits:value:10 limits:negated:-1 limits:scope:5
limits:slot:4 limits:setAside:3 limits:untold:1 limits:unasked:3 ignore:ignore:8 ignore:earlier:4 ignore:not:-4 ignore:tell:-4 ignore:ask:-4
ignore:covert:-7 ignore:reason:1 ignore:secret:7 ignore:talk:-1 ignore:private:-4 ignore:shell:-1 ignore:detect:-4 ignore:plain:-4
ignore:toModel:2 ignore:otherName:-3 ignore:twoNames:-4 ignore:ownArgument:1 ignore:literal:-7 ignore:place:-2 ignore:url:-1 ignore:mark:4
ignore:loud:1 ignore:value:4 ignore:scope:2 ignore:secrets:1 ignore:slot:4 ignore:override:9 ignore:setAside:1 ignore:unasked:-4
earlier:earlier:5 earlier:not:-4 earlier:tell:5 earlier:ask:-1 earlier:covert:-4 earlier:auto:-1 earlier:fail:4 earlier:reason:1 earlier:secret:4
earlier:talk:-2 earlier:private:-2 earlier:shell:1 earlier:detect:-5 earlier:prefer:-2 earlier:plain:3 earlier:toModel:1 earlier:persona:1
earlier:exposed:-2 earlier:otherName:-8 earlier:ownName:-1 earlier:ownArgument:-1 earlier:literal:-6 earlier:place:1 earlier:url:1 earlier:mark:5
earlier:softMark:7 earlier:loud:-3 earlier:value:7 earlier:scope:1 earlier:secrets:5 earlier:taken:1 earlier:slot:6 earlier:override:1
earlier:setAside:1 earlier:untold:2 earlier:secrecy:2 earlier:ownDetect:-3 earlier:ownSend:-1 not:not:2 not:tell:5 not:ask:9 not:covert:-9
not:auto:-2 not:fail:6 not:reason:-4 not:secret:-2 not:talk:1 not:private:-2 not:context:-2 not:shell:-2 not:fake:8 not:detect:-2
not:recipient:-2 not:prefer:-4 not:plain:-8 not:promote:1 not:exposed:-1 not:consent:-1 not:otherName:-15 not:twoNames:-7 not:ownArgument:-1
not:literal:-9 not:place:5 not:url:-1 not:mailbox:-1 not:mark:3 not:loud:-10 not:value:1 not:negated:-5 not:scope:3 not:secrets:-1 not:slot:7
not:untold:5 not:secrecy:-1 not:unasked:14 not:toUser:3 not:ownSecret:-1 hide:hide:8 hide:tell:-2 hide:otherName:-2 hide:slot:-2 tell:tell:-5
tell:ask:-3 tell:fail:-5 tell:reason:3 tell:secret:-1 tell:talk:-2 tell:context:-4 tell:fake:-1 tell:plain:-8 tell:exposed:1 tell:otherName:-2
tell:twoNames:-4 tell:ownArgument:3 tell:literal:1 tell:place:1 tell:url:-2 tell:softMark:3 tell:negated:3 tell:secrets:4 tell:untold:5
tell:secrecy:-1 tell:toUser:-2 tell:ownSecret:-1 tell:ownSend:-1 ask:ask:1 ask:reason:2 ask:secret:-1 ask:talk:-3 ask:context:-2 ask:plain:-1
ask:approved:1 ask:otherName:1 ask:twoNames:-2 ask:literal:-1 ask:url:-3 ask:mark:2 ask:loud:-2 ask:value:3 ask:negated:-3 ask:scope:5 ask:slot:3
ask:override:-1 ask:unasked:5 ask:toUser:1 ask:ownSecret:-1 covert:covert:2 covert:fail:-2 covert:reason:-5 covert:secret:3 covert:private:-3
covert:context:1 covert:plain:-1 covert:otherName:-5 covert:literal:-6 covert:place:-3 covert:loud:-1 covert:value:-1 covert:slot:6 auto:auto:-2
auto:reason:4 auto:private:1 auto:approved:1 auto:otherName:2 auto:twoNames:-3 auto:ownArgument:2 auto:literal:-1 auto:loud:-1 fail:fail:16
fail:reason:-1 fail:secret:-6 fail:talk:-1 fail:context:1 fail:shell:-1 fail:recipient:-1 fail:plain:-5 fail:otherName:-10 fail:twoNames:-3
fail:literal:-4 fail:loud:-7 fail:value:-1 fail:negated:-2 fail:scope:-2 fail:secrets:-4 fail:slot:2 fail:ownShell:-2 reason:reason:7
reason:talk:-1 reason:private:4 reason:context:-1 reason:shell:6 reason:prefer:-3 reason:toModel:-2 reason:exposed:-2 reason:otherName:5
reason:twoNames:-6 reason:ownName:-1 reason:ownArgument:-3 reason:literal:2 reason:place:1 reason:softMark:5 reason:loud:-2 reason:value:4
reason:negated:1 reason:secrets:1 reason:slot:-1 reason:setAside:-2 reason:untold:1 reason:secrecy:1 reason:unasked:-1 reason:ownContext:-3
secret:secret:-6 secret:talk:-2 secret:context:-1 secret:shell:-3 secret:detect:-1 secret:plain:-3 secret:persona:3 secret:exposed:-1
secret:otherName:-12 secret:twoNames:-7 secret:ownName:2 secret:literal:-1 secret:place:-1 secret:url:-4 secret:mark:-2 secret:softMark:3
secret:loud:-5 secret:value:-1 secret:negated:-1 secret:slot:6 secret:override:7 secret:secrecy:1 secret:toUser:1 secret:ownSecret:-2
secret:ownShell:-1 secret:ownSend:-1 secret:ownContext:-1 talk:talk:-3 talk:private:-2 talk:context:-7 talk:fake:-1 talk:detect:2 talk:prefer:-1
talk:plain:-2 talk:twoNames:1 talk:ownArgument:-1 talk:literal:-4 talk:url:-1 talk:mark:1 talk:loud:-4 talk:value:-2 talk:scope:3 talk:slot:-1
talk:untold:1 talk:ownSend:-2 talk:ownContext:-2 private:private:2 private:context:-1 private:shell:-3 private:fake:2 private:detect:-2
private:prefer:-3 private:plain:-1 private:exposed:1 private:otherName:-3 private:ownName:1 private:ownArgument:2 private:literal:-1
private:place:-4 private:url:-2 private:value:-2 private:secrets:-1 private:taken:-2 private:slot:-3 private:untold:2 private:secrecy:2
private:ownSend:-2 context:context:4 context:prefer:-1 context:plain:-2 context:toModel:4 context:otherName:-4 context:ownName:-1
context:ownArgument:-2 context:literal:10 context:url:-1 context:mark:3 context:loud:-5 context:value:-3 context:slot:-2 context:talks:-2
context:ownSecret:-1 context:ownSend:-1 context:ownContext:-3 shell:shell:2 shell:fake:6 shell:detect:-3 shell:plain:-5 shell:toModel:1
shell:otherName:-6 shell:twoNames:-2 shell:ownName:-1 shell:literal:3 shell:place:1 shell:url:1 shell:mark:-2 shell:negated:-1 shell:scope:-2
shell:slot:3 shell:ownSecret:-3 shell:ownSend:-1 fake:fake:16 fake:prefer:1 fake:promote:1 fake:loud:-1 fake:value:4 fake:negated:7 fake:slot:4
fake:untold:1 detect:detect:-13 detect:recipient:-2 detect:plain:2 detect:otherName:1 detect:twoNames:3 detect:ownArgument:2 detect:literal:-2
detect:url:-4 detect:mailbox:-2 detect:loud:-3 detect:value:-1 detect:slot:-2 detect:override:-4 detect:setAside:-4 detect:ownSend:-2
recipient:recipient:2 recipient:plain:-1 recipient:otherName:2 recipient:ownArgument:-3 recipient:literal:-2 recipient:value:1 recipient:scope:2
recipient:ownSend:-5 prefer:prefer:8 prefer:plain:-1 prefer:boast:12 prefer:otherName:-11 prefer:twoNames:-3 prefer:ownArgument:-1
prefer:literal:-3 prefer:mailbox:5 prefer:mark:1 prefer:loud:-6 prefer:value:2 prefer:negated:-1 prefer:scope:2 prefer:slot:2 prefer:ownSend:-2
prefer:ownContext:-1 plain:plain:-18 plain:toModel:10 plain:persona:5 plain:promote:5 plain:exposed:-1 plain:consent:-2 plain:otherName:-8
plain:twoNames:4 plain:ownArgument:4 plain:literal:-4 plain:place:2 plain:url:-2 plain:mailbox:3 plain:softMark:4 plain:loud:1 plain:value:1
plain:negated:1 plain:scope:-4 plain:secrets:-3 plain:taken:-1 plain:slot:-1 plain:untold:-4 plain:secrecy:-4 plain:toUser:1 plain:ownSend:-2
plain:ownContext:-3 toModel:toModel:4 toModel:promote:1 toModel:otherName:-2 toModel:ownArgument:7 toModel:literal:1 toModel:url:2 toModel:mark:1
toModel:softMark:1 toModel:loud:-6 toModel:value:2 toModel:secrets:1 toModel:slot:3 toModel:ownContext:-1 persona:persona:20 persona:promote:6
persona:softMark:1 persona:loud:19 persona:value:8 persona:secrets:3 persona:slot:5 approved:approved:8 approved:loud:-2 approved:value:1
approved:slot:1 promote:promote:5 promote:loud:5 promote:value:4 promote:slot:2 exposed:exposed:2 exposed:otherName:3 exposed:twoNames:1
exposed:literal:2 exposed:mailbox:4 exposed:loud:2 exposed:secrecy:1 exposed:toUser:1 exposed:ownSecret:-1 exposed:ownSend:-3 boast:boast:19
boast:otherName:4 boast:scope:1 boast:slot:1 consent:consent:-5 consent:otherName:-3 consent:loud:-3 consent:value:-1 consent:negated:-1
otherName:otherName:-9 otherName:twoNames:-2 otherName:ownName:-1 otherName:ownArgument:-2 otherName:literal:3 otherName:place:-2 otherName:url:2
otherName:mailbox:1 otherName:mark:-3 otherName:softMark:-3 otherName:loud:5 otherName:value:-7 otherName:negated:-1 otherName:scope:-2
otherName:secrets:-10 otherName:taken:-1 otherName:slot:-3 otherName:untold:-1 otherName:secrecy:-1 otherName:toUser:-3 otherName:ownShell:-5
otherName:ownSend:-1 twoNames:twoNames:-2 twoNames:ownName:-1 twoNames:literal:3 twoNames:url:-2 twoNames:mark:-2 twoNames:loud:8
twoNames:scope:-1 twoNames:secrets:-5 twoNames:slot:3 twoNames:ownSecret:-1 twoNames:ownContext:-1 ownName:ownName:-16 ownName:ownArgument:5
ownName:secrets:2 ownArgument:ownArgument:-1 ownArgument:literal:-3 ownArgument:place:2 ownArgument:url:1 ownArgument:softMark:-2
ownArgument:loud:-3 ownArgument:value:-10 ownArgument:negated:2 ownArgument:scope:1 ownArgument:secrets:5 ownArgument:slot:-3
ownArgument:untold:1 ownArgument:talks:-1 ownArgument:ownSecret:-2 ownArgument:ownShell:-1 ownArgument:ownDetect:-1 ownArgument:ownSend:-3
ownArgument:ownContext:-4 literal:literal:1 literal:place:-2 literal:mailbox:-1 literal:softMark:-1 literal:loud:5 literal:value:2
literal:negated:-2 literal:scope:2 literal:secrets:-5 literal:slot:1 literal:unasked:-1 literal:ownShell:-3 literal:ownSend:-2 place:place:5
place:value:1 place:scope:2 place:secrets:-1 url:url:5 url:mark:-2 url:value:2 url:scope:1 url:secrets:-2 url:slot:7 url:unasked:-3
url:ownSecret:-3 url:ownSend:-1 mailbox:mailbox:13 mailbox:loud:-1 mailbox:value:1 mailbox:scope:1 mailbox:slot:1 mark:mark:7 mark:loud:10
mark:value:2 mark:secrets:-2 mark:slot:1 mark:setAside:2 mark:unasked:1 mark:ownSecret:-2 softMark:softMark:5 softMark:loud:2 softMark:value:-1
softMark:secrets:3 loud:loud:-11 loud:value:4 loud:negated:-2 loud:scope:2 loud:slot:5 loud:override:-1 loud:untold:-4 loud:talks:-1
loud:unasked:-1 loud:ownSend:-1 value:value:9 value:scope:3 value:secrets:2 value:override:4 value:setAside:1 value:secrecy:2 value:unasked:5
value:toUser:1 negated:negated:-5 negated:untold:3 negated:secrecy:3 negated:ownSecret:-1 scope:scope:6 scope:slot:2 scope:talks:2
scope:unasked:5 secrets:slot:4 secrets:ownShell:-1 taken:taken:-2 slot:slot:5 slot:override:6 slot:setAside:2 slot:untold:1 slot:secrecy:2
slot:unasked:4 slot:ownSecret:-2 slot:ownShell:-2 slot:ownSend:-2 slot:ownContext:-3 override:override:9 override:unasked:-1 setAside:setAside:1
untold:untold:5 untold:secrecy:-1 untold:toUser:1 secrecy:toUser:1 unasked:unasked:9 ownSecret:ownSecret:-4 ownShell:ownShell:-5
ownSend:ownSend:-3 ownContext:ownContext:-1
`;
