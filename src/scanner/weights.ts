// Made by scripts/train-scanner.ts; not to be changed by hand.

/** The weight of a text that says nothing, and the one from which a passage is worth a look. */
export const START = -92;
export const ENOUGH = 0;

/** Of each composition, in the order of their table. */
// prettier-ignore
export const COMPOSED: readonly number[] = [
  24, 20, 20, 17, 8, 17, 19, 19, 26, 21, 20, 8, 21, 17, 22, 11, 15, 12, 7, 20, 12, 15, 14, 33, 17, 18, 17, 24, 16, 18, 20, 14, 14, 10, 11, 14,
  22, 14, 12, 15, 15, 15, 8, 15, 16, 15, 16, 10, 16, 16, 16, 12, 18, 18, 24, 16, 19, 16, 16, 19, 14, 21, 11, 13, 18, 22, 11, 15, 16, 16, 19,
  16, 16, 13, 11, 11, 21, 20, 32, 13, 15, 10, 12, 21, 16, 15, 17, 11, 16, 20, 16, 16, 17, 21, 23, 15, 13, 20, 19, 19, 18, 20, 14, 23, 17, 19,
  18, 23, 17, 23, 33, 17, 16, 17, 16, 18, 17, 13, 14, 27, 17, 21, 24, 18, 33, 18, 24, 23, 20, 20, 23, 25, 20, 21, 15, 10, 15, 11, 15, 9, 14,
  18, 12, -4, -1, -2, -3, -3, -3, -3, -2, -3, 0, -3, -1, 0, -7, -6, -2, -4,
  0
];

/** Of two concepts in one sentence. */
export const PAIRS = `
model:model:-13 model:you:-2 model:user:-6 model:must:-1 model:before:1 model:when:-1 model:each:1 model:whole:-1 model:request:-7 model:use:-2
model:read:-4 model:give:-2 model:alter:-4 model:destroy:-3 model:argument:-1 model:instead:2 model:rules:-8 model:limits:-1 model:ignore:-7
model:earlier:-1 model:not:1 model:tell:1 model:ask:1 model:fail:-1 model:reason:2 model:secret:-3 model:private:-2 model:context:-2
model:plain:3 model:persona:3 model:exposed:3 model:otherName:-1 model:twoNames:-1 model:verbName:1 model:quoted:-1 model:ownName:-1
model:ownArgument:3 model:literal:1 model:softMark:-2 model:loud:1 model:value:-3 model:slot:-1 model:override:-7 model:ownContext:-1 you:you:8
you:user:-5 you:must:13 you:should:5 you:before:-6 you:when:-2 you:after:1 you:each:8 you:whole:6 you:tool:-5 you:request:4 you:elsewhere:-1
you:use:3 you:read:-5 you:give:5 you:send:2 you:alter:4 you:destroy:2 you:argument:2 you:regardless:6 you:instead:7 you:rules:2 you:limits:-4
you:ignore:3 you:follow:7 you:earlier:3 you:not:-1 you:hide:-1 you:tell:-6 you:auto:1 you:reason:8 you:secret:-1 you:talk:5 you:context:3
you:shell:3 you:claim:1 you:eg:-3 you:prefer:-1 you:plain:3 you:approved:7 you:exposed:2 you:consent:-3 you:otherName:6 you:twoNames:3
you:verbName:8 you:sibling:-1 you:quoted:4 you:ownName:2 you:ownArgument:3 you:literal:5 you:place:2 you:url:5 you:mark:2 you:softMark:-1
you:loud:3 you:value:-5 you:scope:3 you:secrets:-3 you:slot:-3 you:override:1 you:setAside:1 you:untold:3 you:secrecy:3 you:toUser:-3
you:ownContext:-1 user:user:17 user:must:1 user:should:2 user:before:1 user:when:3 user:after:-6 user:each:-1 user:whole:7 user:tool:3
user:request:1 user:elsewhere:3 user:use:2 user:read:2 user:alter:8 user:destroy:-7 user:argument:-1 user:regardless:5 user:instead:4
user:priority:1 user:rules:-6 user:ignore:3 user:earlier:6 user:not:6 user:hide:-2 user:tell:-5 user:ask:-6 user:fail:-2 user:reason:-3
user:secret:8 user:talk:7 user:private:7 user:context:-2 user:shell:2 user:fake:7 user:eg:1 user:recipient:2 user:prefer:3 user:plain:-11
user:approved:-5 user:consent:-3 user:otherName:-5 user:twoNames:-4 user:verbName:-2 user:sibling:-3 user:quoted:-7 user:ownName:5
user:ownArgument:-2 user:literal:-3 user:place:-2 user:url:1 user:mailbox:8 user:mark:-4 user:softMark:-1 user:loud:-13 user:value:-2
user:negated:-2 user:scope:-1 user:secrets:-3 user:taken:1 user:slot:11 user:override:-6 user:untold:-1 user:unasked:2 user:toUser:-1
user:ownSecret:-3 user:ownShell:-1 user:ownSend:-1 user:ownContext:-1 must:must:8 must:should:-1 must:before:-13 must:when:1 must:after:-10
must:each:-6 must:whole:-5 must:tool:2 must:request:-2 must:elsewhere:-3 must:use:1 must:read:6 must:send:7 must:destroy:-2 must:regardless:8
must:instead:-4 must:rules:-3 must:limits:-5 must:ignore:-2 must:follow:1 must:earlier:-1 must:not:-5 must:tell:-3 must:ask:-2 must:auto:1
must:fail:-1 must:reason:3 must:secret:-2 must:talk:-2 must:private:3 must:context:3 must:shell:1 must:claim:2 must:detect:-2 must:eg:-3
must:prefer:-3 must:plain:1 must:toModel:5 must:approved:-3 must:exposed:1 must:boast:-1 must:consent:-5 must:otherName:1 must:twoNames:-6
must:verbName:6 must:sibling:-2 must:quoted:2 must:ownName:-2 must:ownArgument:-8 must:literal:9 must:place:-1 must:url:5 must:mailbox:4
must:mark:8 must:softMark:1 must:loud:-7 must:value:-2 must:negated:-14 must:scope:2 must:secrets:-1 must:taken:1 must:slot:-2 must:untold:-1
must:secrecy:-4 must:unasked:7 must:toUser:-3 must:ownSecret:-2 must:ownDetect:-3 should:should:6 should:before:-2 should:when:3 should:each:2
should:tool:-1 should:request:1 should:use:1 should:give:3 should:send:4 should:destroy:4 should:argument:3 should:instead:2 should:follow:5
should:not:2 should:tell:-1 should:ask:-3 should:fail:4 should:reason:-2 should:private:5 should:context:4 should:eg:-1 should:prefer:4
should:otherName:2 should:twoNames:3 should:verbName:1 should:sibling:1 should:ownArgument:3 should:literal:3 should:place:1 should:loud:5
should:value:1 should:scope:1 should:slot:-3 before:before:9 before:when:-8 before:after:-3 before:each:-4 before:whole:1 before:request:4
before:elsewhere:1 before:use:7 before:read:-8 before:give:12 before:send:2 before:alter:-2 before:destroy:6 before:argument:-4
before:regardless:8 before:instead:-1 before:rules:-1 before:limits:-2 before:ignore:-2 before:earlier:-5 before:not:1 before:tell:-5
before:ask:-4 before:fail:-2 before:reason:-3 before:secret:1 before:talk:3 before:private:11 before:context:2 before:shell:4 before:fake:2
before:detect:2 before:eg:2 before:prefer:6 before:plain:1 before:approved:5 before:exposed:5 before:boast:3 before:consent:-2 before:otherName:5
before:twoNames:6 before:sibling:-2 before:quoted:5 before:ownName:-2 before:ownArgument:-3 before:place:6 before:url:2 before:mailbox:1
before:mark:4 before:loud:-3 before:value:-3 before:negated:-2 before:scope:-4 before:taken:-3 before:slot:12 before:unasked:1 before:toUser:2
before:ownSecret:-2 before:ownSend:-2 when:when:-4 when:after:-4 when:tool:-9 when:request:-2 when:elsewhere:1 when:use:-3 when:give:-2
when:alter:-1 when:destroy:-1 when:argument:5 when:regardless:-2 when:rules:-2 when:limits:-6 when:ignore:-3 when:not:-2 when:tell:-3 when:ask:-5
when:covert:-5 when:fail:-12 when:secret:-5 when:talk:5 when:private:-3 when:context:3 when:shell:2 when:fake:3 when:claim:6 when:eg:-2
when:recipient:3 when:prefer:-7 when:plain:-5 when:toModel:4 when:approved:-6 when:exposed:-1 when:consent:-1 when:otherName:-6 when:twoNames:1
when:verbName:-2 when:quoted:2 when:ownName:8 when:literal:-4 when:place:1 when:url:4 when:mailbox:2 when:mark:1 when:loud:-2 when:value:-3
when:negated:4 when:scope:-2 when:secrets:-4 when:slot:-6 when:untold:1 when:secrecy:3 when:unasked:1 when:toUser:1 when:ownSecret:-2
when:ownSend:-1 when:ownContext:-1 after:each:-3 after:whole:-2 after:tool:4 after:request:-7 after:use:-3 after:read:-1 after:give:11
after:send:3 after:alter:-1 after:destroy:1 after:argument:1 after:instead:1 after:limits:3 after:ignore:5 after:follow:2 after:earlier:2
after:not:5 after:tell:2 after:ask:-4 after:fail:-4 after:reason:3 after:secret:1 after:private:5 after:context:-2 after:shell:7 after:detect:2
after:plain:1 after:exposed:3 after:otherName:-8 after:twoNames:-3 after:verbName:-8 after:quoted:6 after:ownArgument:-3 after:literal:-1
after:place:1 after:url:4 after:mark:1 after:softMark:-1 after:loud:-2 after:value:2 after:negated:-1 after:scope:-6 after:slot:-1
after:setAside:2 after:ownSecret:-1 after:ownShell:-1 each:each:4 each:whole:1 each:tool:-1 each:request:1 each:elsewhere:4 each:use:3
each:read:-1 each:give:-7 each:send:3 each:alter:2 each:destroy:-3 each:argument:-5 each:regardless:3 each:instead:3 each:limits:-5
each:ignore:-4 each:follow:1 each:earlier:7 each:not:4 each:tell:10 each:ask:3 each:fail:-1 each:reason:7 each:secret:-5 each:private:-3
each:context:-3 each:shell:2 each:detect:1 each:prefer:2 each:approved:5 each:boast:2 each:otherName:1 each:twoNames:-4 each:verbName:6
each:sibling:-1 each:quoted:2 each:ownName:1 each:ownArgument:4 each:literal:1 each:url:11 each:mailbox:2 each:mark:3 each:softMark:4 each:loud:6
each:negated:12 each:scope:4 each:secrets:-1 each:taken:-2 each:slot:5 each:setAside:-2 each:ownShell:-4 each:ownSend:-1 whole:whole:3
whole:tool:-3 whole:request:2 whole:elsewhere:5 whole:use:1 whole:read:-5 whole:give:-1 whole:send:2 whole:alter:-7 whole:destroy:-2
whole:argument:-1 whole:instead:-2 whole:rules:3 whole:limits:-1 whole:ignore:2 whole:earlier:-3 whole:not:-7 whole:tell:-2 whole:secret:-2
whole:talk:10 whole:private:1 whole:context:5 whole:shell:9 whole:detect:1 whole:prefer:2 whole:plain:2 whole:toModel:1 whole:otherName:-2
whole:twoNames:-2 whole:verbName:3 whole:sibling:-1 whole:quoted:-1 whole:ownArgument:1 whole:literal:3 whole:place:2 whole:url:-1 whole:loud:-5
whole:value:-1 whole:scope:-1 whole:taken:-1 whole:slot:8 whole:override:2 whole:untold:-1 whole:ownSecret:-3 tool:tool:-1 tool:request:7
tool:read:3 tool:give:-1 tool:send:10 tool:alter:14 tool:argument:2 tool:regardless:2 tool:instead:1 tool:rules:1 tool:limits:-5 tool:ignore:4
tool:earlier:3 tool:not:-1 tool:tell:6 tool:ask:-4 tool:auto:-2 tool:fail:4 tool:secret:1 tool:talk:6 tool:private:-5 tool:context:-2
tool:shell:1 tool:detect:-2 tool:eg:-2 tool:prefer:4 tool:plain:-3 tool:toModel:9 tool:approved:4 tool:exposed:2 tool:boast:4 tool:consent:-2
tool:otherName:-5 tool:twoNames:4 tool:verbName:-5 tool:sibling:2 tool:quoted:3 tool:ownName:-10 tool:ownArgument:7 tool:literal:-2 tool:place:3
tool:url:-2 tool:mark:1 tool:softMark:1 tool:loud:-1 tool:negated:-2 tool:scope:2 tool:slot:1 tool:unasked:-2 tool:ownSecret:-4 tool:ownShell:-2
tool:ownContext:-1 request:request:-6 request:elsewhere:1 request:use:4 request:read:4 request:give:-1 request:send:-1 request:alter:1
request:destroy:-7 request:regardless:5 request:priority:1 request:rules:-9 request:limits:-1 request:ignore:-8 request:follow:-2
request:earlier:-2 request:not:3 request:hide:8 request:tell:4 request:ask:-5 request:covert:2 request:auto:-3 request:reason:-3 request:secret:5
request:private:-5 request:context:-14 request:shell:-3 request:claim:5 request:detect:-4 request:eg:-4 request:recipient:-2 request:prefer:-3
request:plain:2 request:toModel:3 request:persona:6 request:approved:4 request:exposed:2 request:consent:-3 request:otherName:8
request:twoNames:3 request:verbName:11 request:sibling:-4 request:quoted:4 request:ownName:3 request:ownArgument:4 request:place:4 request:url:4
request:mailbox:4 request:mark:1 request:loud:3 request:value:1 request:negated:-3 request:scope:4 request:secrets:4 request:taken:1
request:slot:6 request:override:-8 request:setAside:-1 request:untold:4 request:secrecy:2 request:unasked:-2 request:toUser:2
request:ownSecret:-5 request:ownShell:-1 request:ownDetect:-5 request:ownContext:-2 elsewhere:elsewhere:20 elsewhere:use:6 elsewhere:read:4
elsewhere:give:-1 elsewhere:send:1 elsewhere:alter:-1 elsewhere:ignore:2 elsewhere:earlier:1 elsewhere:not:3 elsewhere:tell:5 elsewhere:fail:7
elsewhere:talk:1 elsewhere:context:2 elsewhere:prefer:16 elsewhere:otherName:-4 elsewhere:verbName:-2 elsewhere:literal:-1 elsewhere:mark:-1
elsewhere:loud:-5 elsewhere:scope:1 elsewhere:secrets:2 elsewhere:slot:5 elsewhere:untold:-1 use:use:-2 use:give:3 use:send:2 use:alter:13
use:destroy:3 use:argument:-6 use:regardless:2 use:instead:-9 use:priority:1 use:limits:-6 use:ignore:3 use:follow:-1 use:earlier:1 use:not:-2
use:hide:-2 use:tell:-3 use:ask:-6 use:covert:-4 use:auto:-3 use:fail:-2 use:reason:4 use:secret:-2 use:talk:1 use:private:2 use:context:2
use:shell:3 use:fake:2 use:claim:8 use:recipient:2 use:prefer:-4 use:plain:3 use:toModel:1 use:approved:-4 use:exposed:5 use:boast:2
use:consent:-4 use:otherName:3 use:twoNames:2 use:verbName:3 use:sibling:-3 use:quoted:4 use:ownName:4 use:ownArgument:-5 use:literal:4
use:place:5 use:url:3 use:mark:4 use:softMark:5 use:loud:-9 use:value:1 use:negated:-1 use:scope:-3 use:secrets:-1 use:taken:4 use:setAside:2
use:unasked:-4 use:toUser:2 use:ownSecret:-4 use:ownShell:-4 use:ownSend:-1 read:read:-11 read:give:11 read:send:6 read:alter:3 read:destroy:1
read:argument:-3 read:regardless:1 read:instead:-3 read:priority:1 read:rules:-3 read:limits:-3 read:ignore:3 read:follow:1 read:earlier:3
read:not:2 read:tell:6 read:ask:-5 read:auto:2 read:fail:-7 read:reason:-2 read:secret:5 read:talk:3 read:private:2 read:context:4 read:shell:4
read:detect:1 read:prefer:-8 read:plain:2 read:toModel:2 read:exposed:-1 read:consent:-2 read:twoNames:1 read:verbName:-1 read:sibling:-3
read:quoted:5 read:ownName:4 read:ownArgument:2 read:literal:10 read:place:3 read:url:2 read:mailbox:2 read:mark:-1 read:value:-1 read:negated:2
read:scope:-2 read:secrets:2 read:taken:-1 read:slot:5 read:override:-1 read:untold:-4 read:secrecy:-2 read:toUser:-1 read:ownSecret:-3
read:ownSend:-1 give:give:-3 give:send:3 give:alter:-6 give:destroy:4 give:argument:6 give:regardless:-3 give:instead:-4 give:rules:-6
give:limits:-8 give:ignore:-7 give:follow:1 give:earlier:-7 give:not:-9 give:tell:-1 give:ask:2 give:auto:-2 give:fail:1 give:secret:5
give:talk:-1 give:private:-1 give:context:5 give:shell:8 give:eg:-1 give:prefer:2 give:plain:3 give:consent:-3 give:otherName:-2 give:twoNames:-2
give:verbName:-5 give:sibling:-4 give:quoted:3 give:ownName:4 give:ownArgument:11 give:literal:4 give:place:4 give:url:9 give:mailbox:4
give:mark:2 give:softMark:-2 give:loud:-4 give:value:-2 give:negated:-2 give:scope:1 give:secrets:1 give:slot:5 give:secrecy:5 give:ownSecret:-2
give:ownDetect:-3 give:ownContext:-2 send:send:8 send:alter:2 send:destroy:-1 send:argument:-3 send:instead:6 send:rules:2 send:limits:-2
send:earlier:1 send:not:2 send:ask:-1 send:covert:6 send:reason:-4 send:secret:5 send:private:8 send:context:1 send:shell:-1 send:detect:4
send:eg:4 send:recipient:-4 send:prefer:3 send:plain:7 send:otherName:-2 send:twoNames:-1 send:verbName:3 send:sibling:2 send:quoted:1
send:ownName:3 send:ownArgument:-3 send:literal:-4 send:place:6 send:url:3 send:mailbox:8 send:mark:2 send:softMark:6 send:loud:-2 send:value:7
send:scope:6 send:secrets:5 send:slot:6 send:ownShell:-1 send:ownSend:-4 alter:alter:-4 alter:destroy:-2 alter:argument:-1 alter:regardless:-3
alter:instead:-1 alter:limits:-6 alter:ignore:-3 alter:earlier:-4 alter:not:-5 alter:hide:1 alter:tell:-2 alter:ask:-4 alter:fail:-9
alter:secret:1 alter:talk:5 alter:private:-2 alter:context:1 alter:shell:4 alter:detect:-2 alter:eg:-3 alter:recipient:7 alter:prefer:3
alter:plain:-2 alter:toModel:1 alter:approved:-1 alter:exposed:-1 alter:otherName:-7 alter:twoNames:-8 alter:verbName:7 alter:sibling:-3
alter:quoted:-2 alter:ownName:-1 alter:ownArgument:2 alter:literal:-1 alter:url:3 alter:mailbox:2 alter:mark:4 alter:softMark:2 alter:loud:2
alter:value:-1 alter:negated:3 alter:scope:8 alter:taken:-3 alter:slot:-4 alter:override:2 alter:setAside:1 alter:untold:-1 alter:unasked:-6
alter:toUser:1 alter:ownDetect:-1 alter:ownContext:-3 destroy:destroy:-7 destroy:regardless:1 destroy:instead:-3 destroy:limits:-4
destroy:ignore:7 destroy:earlier:-7 destroy:not:-1 destroy:tell:-7 destroy:ask:1 destroy:auto:1 destroy:fail:-3 destroy:reason:-2 destroy:shell:4
destroy:prefer:-1 destroy:toModel:3 destroy:approved:1 destroy:exposed:5 destroy:twoNames:2 destroy:verbName:5 destroy:sibling:-2
destroy:quoted:5 destroy:ownName:-2 destroy:ownArgument:3 destroy:literal:-1 destroy:mailbox:1 destroy:mark:2 destroy:loud:1 destroy:value:4
destroy:negated:1 destroy:secrets:3 destroy:slot:-2 destroy:override:-2 destroy:setAside:-1 destroy:unasked:1 destroy:ownSecret:-2
argument:argument:-7 argument:regardless:-1 argument:rules:2 argument:ignore:-1 argument:not:-1 argument:tell:-2 argument:auto:1 argument:fail:3
argument:reason:-1 argument:secret:-3 argument:talk:2 argument:private:1 argument:context:6 argument:detect:-1 argument:eg:-1 argument:plain:-4
argument:exposed:-1 argument:otherName:-8 argument:twoNames:-3 argument:verbName:-3 argument:sibling:-2 argument:quoted:-2
argument:ownArgument:-3 argument:literal:2 argument:mark:-1 argument:loud:-1 argument:value:-1 argument:negated:-1 argument:secrets:-1
argument:slot:4 argument:ownShell:-1 regardless:regardless:13 regardless:ignore:1 regardless:auto:-1 regardless:private:3 regardless:claim:3
regardless:prefer:8 regardless:plain:4 regardless:exposed:-2 regardless:otherName:-1 regardless:twoNames:1 regardless:verbName:4
regardless:ownName:1 regardless:literal:3 regardless:mark:1 regardless:value:3 regardless:scope:3 regardless:slot:3 instead:instead:-1
instead:rules:2 instead:limits:-4 instead:ignore:1 instead:earlier:6 instead:not:1 instead:tell:7 instead:ask:-3 instead:secret:5
instead:private:-6 instead:fake:2 instead:prefer:-6 instead:plain:-1 instead:consent:-2 instead:otherName:-3 instead:twoNames:1
instead:sibling:-4 instead:quoted:-1 instead:ownName:2 instead:literal:-2 instead:mailbox:5 instead:mark:1 instead:loud:1 instead:value:-1
instead:negated:-1 instead:scope:-2 instead:secrets:1 instead:slot:3 instead:ownSend:-2 priority:priority:3 priority:rules:1 priority:earlier:1
rules:rules:6 rules:ignore:6 rules:earlier:8 rules:not:-5 rules:tell:1 rules:reason:-4 rules:secret:6 rules:talk:-2 rules:private:1
rules:context:1 rules:shell:1 rules:detect:-2 rules:eg:-2 rules:plain:-1 rules:otherName:-1 rules:quoted:-3 rules:ownArgument:2 rules:mark:2
rules:softMark:1 rules:loud:3 rules:value:-5 rules:slot:3 rules:override:5 rules:setAside:2 rules:ownContext:-3 limits:limits:7 limits:ignore:-3
limits:earlier:4 limits:not:-2 limits:tell:-4 limits:ask:3 limits:reason:-2 limits:secret:-3 limits:private:4 limits:plain:7 limits:otherName:-4
limits:verbName:-1 limits:sibling:-2 limits:quoted:1 limits:literal:-1 limits:loud:-2 limits:value:1 limits:negated:-1 limits:slot:-1
limits:ownShell:-2 ignore:ignore:9 ignore:earlier:4 ignore:tell:2 ignore:ask:-1 ignore:fail:8 ignore:reason:-6 ignore:secret:6 ignore:talk:3
ignore:context:-1 ignore:shell:5 ignore:detect:-2 ignore:eg:-2 ignore:plain:-3 ignore:toModel:1 ignore:otherName:-1 ignore:twoNames:-3
ignore:sibling:-2 ignore:quoted:-3 ignore:ownArgument:1 ignore:literal:-2 ignore:place:-2 ignore:url:3 ignore:mark:2 ignore:softMark:1
ignore:loud:3 ignore:value:-2 ignore:negated:3 ignore:secrets:1 ignore:slot:3 ignore:override:2 ignore:setAside:1 ignore:unasked:-2
follow:follow:2 follow:earlier:2 follow:prefer:5 follow:plain:-3 follow:otherName:-2 follow:loud:6 earlier:earlier:10 earlier:not:5
earlier:hide:1 earlier:tell:5 earlier:ask:2 earlier:reason:1 earlier:secret:2 earlier:talk:1 earlier:private:-1 earlier:shell:1 earlier:detect:-1
earlier:eg:-1 earlier:prefer:-3 earlier:plain:1 earlier:toModel:2 earlier:persona:1 earlier:exposed:-2 earlier:otherName:-6 earlier:twoNames:-1
earlier:verbName:-1 earlier:sibling:1 earlier:quoted:-1 earlier:ownName:-2 earlier:ownArgument:-3 earlier:literal:-6 earlier:place:2
earlier:url:3 earlier:mailbox:4 earlier:mark:1 earlier:softMark:7 earlier:loud:4 earlier:scope:1 earlier:taken:1 earlier:slot:-2
earlier:override:-1 earlier:setAside:1 earlier:ownSecret:-1 not:not:10 not:hide:4 not:tell:9 not:ask:8 not:auto:-4 not:fail:-5 not:reason:-1
not:secret:-10 not:talk:-3 not:private:-3 not:context:-10 not:shell:-2 not:fake:4 not:claim:6 not:detect:-1 not:plain:-3 not:approved:-3
not:exposed:1 not:consent:-1 not:otherName:-10 not:twoNames:-5 not:verbName:5 not:sibling:-1 not:quoted:-6 not:ownArgument:-13 not:literal:-5
not:place:-1 not:mark:-5 not:loud:-5 not:value:-2 not:negated:-4 not:scope:-1 not:slot:3 not:untold:2 not:secrecy:-3 not:unasked:9
not:ownSecret:-3 not:ownSend:-1 hide:hide:14 hide:value:1 hide:slot:2 hide:secrecy:-2 tell:tell:4 tell:ask:-6 tell:fail:-4 tell:reason:-5
tell:secret:1 tell:talk:-2 tell:private:1 tell:context:-1 tell:claim:-1 tell:detect:1 tell:eg:-1 tell:plain:-6 tell:persona:5 tell:twoNames:-4
tell:verbName:4 tell:sibling:-1 tell:quoted:-8 tell:ownName:-1 tell:ownArgument:-2 tell:place:-3 tell:url:6 tell:mark:-5 tell:value:-4
tell:negated:3 tell:scope:-3 tell:secrets:-1 tell:slot:-1 tell:untold:2 tell:secrecy:-3 tell:toUser:-5 tell:ownSecret:-1 tell:ownShell:-1
tell:ownSend:-2 ask:fail:-7 ask:reason:2 ask:talk:-2 ask:plain:-2 ask:toModel:-2 ask:approved:-3 ask:otherName:-5 ask:twoNames:-2 ask:verbName:1
ask:ownArgument:-4 ask:literal:1 ask:loud:-5 ask:value:1 ask:scope:1 ask:slot:3 ask:unasked:6 ask:toUser:5 covert:covert:2 covert:secret:3
covert:plain:3 covert:otherName:-6 covert:literal:-5 covert:loud:-1 covert:slot:7 auto:auto:-8 auto:plain:1 auto:toModel:1 auto:approved:1
auto:otherName:-2 auto:twoNames:-1 auto:literal:-1 fail:fail:20 fail:reason:-4 fail:secret:-2 fail:private:2 fail:context:4 fail:prefer:2
fail:plain:-2 fail:approved:-8 fail:otherName:-17 fail:twoNames:-1 fail:verbName:-6 fail:sibling:1 fail:quoted:-1 fail:ownArgument:-4
fail:literal:-2 fail:place:2 fail:loud:-4 fail:value:2 fail:negated:-1 fail:secrets:-2 fail:slot:6 fail:unasked:-8 reason:reason:14
reason:secret:-5 reason:talk:3 reason:private:2 reason:context:1 reason:shell:7 reason:detect:-1 reason:eg:-1 reason:plain:3 reason:otherName:-5
reason:verbName:3 reason:quoted:5 reason:ownName:3 reason:ownArgument:3 reason:literal:-7 reason:place:1 reason:mark:1 reason:loud:-7
reason:value:6 reason:scope:-1 reason:slot:2 secret:secret:-8 secret:private:-1 secret:context:6 secret:detect:-1 secret:eg:-1 secret:plain:-4
secret:persona:6 secret:exposed:2 secret:otherName:-10 secret:twoNames:-6 secret:verbName:-4 secret:quoted:-4 secret:ownName:1
secret:ownArgument:5 secret:literal:-2 secret:place:-8 secret:url:-4 secret:mark:-2 secret:softMark:1 secret:loud:-2 secret:value:-2
secret:negated:-1 secret:scope:1 secret:secrets:1 secret:slot:6 secret:override:7 secret:ownSecret:-4 secret:ownShell:-1 talk:talk:-2
talk:context:-11 talk:detect:1 talk:plain:7 talk:otherName:-2 talk:verbName:-1 talk:ownName:3 talk:ownArgument:8 talk:literal:-3 talk:url:3
talk:mark:1 talk:loud:-3 talk:value:-3 talk:slot:5 talk:ownShell:-1 talk:ownContext:-4 private:private:4 private:claim:2 private:detect:2
private:eg:2 private:prefer:-8 private:plain:5 private:exposed:5 private:twoNames:3 private:verbName:3 private:sibling:-1 private:quoted:-1
private:ownName:-1 private:ownArgument:-2 private:literal:2 private:place:-3 private:url:-1 private:mailbox:5 private:mark:1 private:softMark:3
private:loud:-7 private:negated:-1 private:scope:-2 private:taken:-1 private:slot:4 context:context:-3 context:plain:6 context:toModel:2
context:otherName:-4 context:verbName:-2 context:ownArgument:4 context:literal:3 context:url:3 context:mark:-1 context:loud:-4 context:value:-7
context:scope:-3 context:slot:-1 context:ownContext:-7 shell:shell:6 shell:detect:-3 shell:eg:-3 shell:plain:-4 shell:toModel:1 shell:consent:-1
shell:otherName:-8 shell:twoNames:-3 shell:quoted:2 shell:ownName:-1 shell:ownArgument:1 shell:literal:1 shell:place:4 shell:url:-5 shell:mark:-1
shell:softMark:1 shell:loud:1 shell:value:2 shell:scope:1 shell:slot:-2 fake:fake:20 fake:otherName:1 fake:value:1 fake:negated:4 claim:claim:21
claim:prefer:4 claim:mark:1 claim:loud:1 claim:value:1 claim:negated:2 claim:slot:4 detect:detect:-6 detect:eg:-4 detect:plain:3
detect:consent:-1 detect:otherName:-2 detect:twoNames:-1 detect:verbName:-2 detect:quoted:-3 detect:ownArgument:1 detect:literal:-3 detect:url:-4
detect:loud:-3 detect:slot:-1 detect:override:-2 detect:setAside:-2 detect:ownDetect:-2 eg:eg:-7 eg:plain:2 eg:otherName:-2 eg:twoNames:-1
eg:verbName:-2 eg:quoted:-4 eg:literal:-4 eg:url:-4 eg:loud:-3 eg:slot:1 eg:override:-2 eg:setAside:-2 eg:ownDetect:-2 recipient:recipient:1
recipient:plain:-1 recipient:otherName:-2 recipient:literal:2 recipient:loud:1 recipient:value:-1 recipient:scope:1 recipient:slot:1
prefer:prefer:15 prefer:plain:-4 prefer:boast:5 prefer:otherName:-6 prefer:twoNames:3 prefer:verbName:-6 prefer:sibling:1 prefer:literal:-3
prefer:mailbox:2 prefer:mark:1 prefer:loud:-10 prefer:value:3 prefer:negated:4 prefer:scope:-2 prefer:slot:-4 prefer:ownShell:-4 plain:plain:-14
plain:exposed:1 plain:boast:-1 plain:consent:-3 plain:otherName:-2 plain:verbName:6 plain:quoted:-7 plain:ownName:-1 plain:ownArgument:9
plain:literal:-2 plain:place:4 plain:url:-1 plain:mark:-2 plain:softMark:9 plain:loud:3 plain:value:2 plain:scope:-2 plain:secrets:-3
plain:taken:-1 plain:slot:-3 plain:untold:-8 plain:secrecy:-5 plain:toUser:-1 plain:ownSecret:-1 plain:ownDetect:-1 plain:ownContext:-1
toModel:toModel:5 toModel:approved:1 toModel:literal:5 toModel:place:1 toModel:loud:-3 toModel:value:2 toModel:slot:1 persona:persona:21
persona:exposed:3 persona:softMark:1 persona:loud:18 approved:approved:10 approved:exposed:5 approved:otherName:-4 approved:loud:-3
approved:value:2 approved:scope:1 approved:slot:-4 approved:unasked:-7 promote:promote:6 exposed:exposed:4 exposed:otherName:1
exposed:twoNames:-1 exposed:verbName:2 exposed:literal:4 exposed:mark:1 exposed:softMark:1 exposed:loud:-2 exposed:slot:2 boast:boast:9
boast:mark:1 boast:loud:4 consent:consent:-8 consent:otherName:-3 consent:verbName:-2 consent:ownArgument:-3 consent:loud:-3 consent:negated:-1
consent:slot:-3 consent:ownSend:-1 otherName:otherName:-10 otherName:twoNames:-4 otherName:verbName:4 otherName:sibling:-6 otherName:quoted:6
otherName:literal:6 otherName:place:-1 otherName:url:4 otherName:mark:1 otherName:softMark:-3 otherName:loud:-2 otherName:scope:3
otherName:secrets:-7 otherName:taken:-1 otherName:slot:-1 otherName:setAside:1 otherName:unasked:-7 otherName:toUser:1 otherName:ownSecret:-5
otherName:ownDetect:-2 twoNames:twoNames:-4 twoNames:verbName:-6 twoNames:quoted:-1 twoNames:ownName:3 twoNames:ownArgument:4 twoNames:literal:-5
twoNames:mark:-1 twoNames:loud:-3 twoNames:value:1 twoNames:negated:-1 twoNames:secrets:-4 twoNames:slot:-1 twoNames:ownSecret:-2
verbName:verbName:4 verbName:sibling:-2 verbName:quoted:5 verbName:ownName:-1 verbName:ownArgument:-7 verbName:literal:12 verbName:url:4
verbName:softMark:-1 verbName:value:-2 verbName:negated:1 verbName:scope:2 verbName:secrets:-3 verbName:slot:3 verbName:toUser:1
sibling:sibling:-6 sibling:literal:-5 sibling:loud:-2 sibling:slot:-1 sibling:ownSecret:-3 sibling:ownShell:-1 quoted:quoted:-3 quoted:ownName:3
quoted:ownArgument:3 quoted:literal:-6 quoted:place:-8 quoted:url:2 quoted:mark:-8 quoted:loud:-6 quoted:value:1 quoted:scope:1 quoted:slot:-4
quoted:override:-2 quoted:setAside:-2 quoted:untold:-6 quoted:secrecy:-6 quoted:toUser:-6 ownName:ownName:-15 ownName:ownArgument:6
ownName:loud:2 ownArgument:ownArgument:10 ownArgument:literal:2 ownArgument:place:4 ownArgument:mark:1 ownArgument:loud:3 ownArgument:value:-1
ownArgument:negated:-1 ownArgument:scope:2 ownArgument:secrets:7 ownArgument:slot:-13 ownArgument:untold:-3 ownArgument:secrecy:-3
ownArgument:ownSecret:-3 ownArgument:ownShell:-7 ownArgument:ownDetect:-1 ownArgument:ownSend:-4 ownArgument:ownContext:-1 literal:literal:1
literal:place:-2 literal:url:-2 literal:mark:-1 literal:loud:6 literal:value:2 literal:negated:-4 literal:scope:5 literal:secrets:-2
literal:slot:2 literal:toUser:-2 literal:ownSecret:-2 place:place:2 place:mark:-5 place:softMark:1 place:loud:-2 place:value:1 place:secrets:-4
place:untold:-4 place:secrecy:-3 place:toUser:-3 url:url:9 url:mark:-1 url:softMark:1 url:loud:-4 url:value:1 url:scope:2 url:secrets:-2
url:slot:5 mailbox:mailbox:18 mailbox:mark:1 mailbox:loud:5 mailbox:value:1 mark:mark:10 mark:softMark:1 mark:loud:7 mark:scope:1 mark:secrets:-1
mark:override:1 mark:untold:-6 mark:secrecy:-6 mark:toUser:-6 softMark:softMark:9 softMark:secrets:1 softMark:slot:1 loud:loud:-9 loud:value:2
loud:scope:-1 loud:secrets:-1 loud:slot:1 loud:override:1 loud:setAside:2 loud:untold:-8 loud:secrecy:-5 loud:unasked:-5 loud:toUser:-4
loud:ownSecret:-1 loud:ownDetect:-2 loud:ownContext:-1 value:value:9 value:negated:-2 value:scope:1 value:secrets:5 value:override:-4
value:setAside:-1 value:untold:-5 value:secrecy:-4 value:unasked:1 value:toUser:-1 negated:negated:-4 negated:slot:-4 negated:ownSecret:-1
scope:scope:4 scope:taken:-2 scope:slot:4 scope:unasked:1 scope:ownShell:-4 secrets:secrets:1 secrets:ownSecret:-3 taken:taken:-1 slot:slot:9
slot:override:4 slot:untold:5 slot:secrecy:6 slot:unasked:1 slot:toUser:4 slot:ownSecret:-4 slot:ownShell:-2 slot:ownSend:-2 slot:ownContext:-1
override:override:2 override:setAside:-1 setAside:setAside:1 untold:untold:2 untold:secrecy:-3 untold:ownShell:-1 untold:ownSend:-1
secrecy:secrecy:-2 secrecy:ownShell:-1 unasked:unasked:7 toUser:toUser:-1 ownSecret:ownSecret:-10 ownDetect:ownDetect:-14
ownContext:ownContext:-9
`;
