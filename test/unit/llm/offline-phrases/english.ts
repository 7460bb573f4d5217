/**
 * Messages of English speakers to an agent that keeps notes, one per line: intent, message, and the note to save or the
 * first and last day of a period. `⏎` stands for a line break; today is Wednesday, 2026-11-18.
 */
export const english = `
save | Remember that I prefer PostgreSQL | I prefer PostgreSQL
save | remember i parked on level 3 | i parked on level 3
save | please remember my passport expires in june 2029 | my passport expires in june 2029
save | Please note: call Ann on Friday | call Ann on Friday
save | pls note that the demo moved to 3pm | the demo moved to 3pm
save | note to self: buy a new kettle | buy a new kettle
save | Note: wifi password is hunter22 | wifi password is hunter22
save | keep in mind that Bob is vegetarian | Bob is vegetarian
save | Keep in mind Bob hates coriander | Bob hates coriander
save | don't forget the boiler is serviced in March | the boiler is serviced in March
save | dont forget to water the plants | water the plants
save | Don’t forget: rent is due on the 5th | rent is due on the 5th
save | can you remember that my shoe size is 43? | my shoe size is 43
save | Could you please remember that we chose Vite? | we chose Vite
save | could you note down that Sam owes me 20 euros | Sam owes me 20 euros
save | write down: the gate code is 4711 | the gate code is 4711
save | Write this down: invoice 2231 was paid | invoice 2231 was paid
save | make a note that the standup is at 9:15 | the standup is at 9:15
save | Make a note of this: the server runs on port 8443 | the server runs on port 8443
save | jot down that the cat needs her shots in May | the cat needs her shots in May
save | jot this down - mum's new number is 555 0132 | mum's new number is 555 0132
save | remind me to call the dentist tomorrow | call the dentist tomorrow
save | Remind me that the parking permit ends in April | the parking permit ends in April
save | save this: flight LH441 lands 14:20 | flight LH441 lands 14:20
save | Please save that our budget is 80k | our budget is 80k
save | add to my notes: the blue folder is in the cellar | the blue folder is in the cellar
save | add a note that Mia starts on Monday | Mia starts on Monday
save | log this: deployed 2.4.1 to staging | deployed 2.4.1 to staging
save | record that the meter read 48213 today | the meter read 48213 today
save | for the record, I never agreed to the june date | I never agreed to the june date
save | FYI, please remember: the office is closed on Friday | the office is closed on Friday
save | hey can you remember my locker is 212 | my locker is 212
save | Hi! Please remember that Tom is allergic to nuts. | Tom is allergic to nuts.
save | I want you to remember that I quit coffee | I quit coffee
save | i need you to note that the lease ends in august | the lease ends in august
save | I'd like you to keep in mind that I work from home on Tuesdays | I work from home on Tuesdays
save | REMEMBER: never deploy on fridays | never deploy on fridays
save | rember that my bike lock is 0451 | my bike lock is 0451
save | remeber to send the slides to Kim | send the slides to Kim
save | remember this: always run migrations first | always run migrations first
save | Remember the following:⏎- alpha is 1⏎- beta is 2 | - alpha is 1⏎- beta is 2
save | remember to renew the domain before Dec 3 | renew the domain before Dec 3
save | my badge number is 7781, please remember that | my badge number is 7781
save | The keys are under the pot. Please remember this. | The keys are under the pot.
save | the new intern is called Priya, make a note of that | the new intern is called Priya
save | we moved the launch to 12 Jan, don't forget | we moved the launch to 12 Jan
save | Let's note that we picked option B | we picked option B
save | plz remember 🙏 my doctor is Dr. Chen | my doctor is Dr. Chen
save | kindly note that payroll closes on the 25th | payroll closes on the 25th
save | Would you mind noting that the printer is out of toner? | the printer is out of toner
save | never forget that I hate olives | I hate olives
save | memo: gas meter reading due friday | gas meter reading due friday
save | todo: buy stamps | buy stamps
question | Who is Ann?
question | what's my shoe size
question | whats the wifi password
question | where did i park
question | where are the keys again?
question | When does my passport expire?
question | when is the boiler serviced
question | Which database did we choose?
question | why did we drop graphql
question | how much does Sam owe me
question | how do i restart the worker
question | Remember when we met Ann?
question | remember when we went to Lisbon
question | do you remember where I parked
question | Do you remember the name of that hotel?
question | do u remember my bike lock code
question | can you remember what we decided about pricing?
question | You remember the thing Kim said about slides?
question | remind me what we agreed with the landlord
question | remind me again when the lease ends
question | Remind me, who is the new intern?
question | What should I not forget?
question | what was I supposed to remember for Friday
question | did I note the meter reading?
question | have we decided on a bundler yet
question | what did Kim want me to send
question | What did we decide about yesterday's outage?
question | what do you know about Tom
question | tell me about the launch plan
question | tell me where the blue folder is
question | any notes on the demo?
question | is Bob vegetarian
question | Is the office closed on Friday?
question | does mia start this week or next
question | was the invoice paid
question | gate code?
question | mum's phone number
question | look up the server port
question | find my notes about vite
question | search for coriander
question | can you check what my locker number is
question | could you tell me the name of my doctor?
question | please find the invoice number
question | i forgot the gate code, what was it
question | I can't remember where the blue folder is
question | im trying to remember who recommended that book
question | what time's standup
question | wich option did we pick
question | so uh what was that thing about the migrations we said we'd always do before deploying
question | Hi, who do I owe money to?
question | ok and when does payroll close?
question | show me what we have on the lease
question | whose number ends in 0132
question | the hotel in Lisbon, what was it called?
question | hey do we know when the domain runs out
question | What did I write about Priya last week?
question | what did we discuss with the landlord in October
question | Did I say anything about olives?
question | What is the note about the printer?
question | how many people are coming to the demo
period | What did I do last week? | 2026-11-09 2026-11-15
period | what did i do last week | 2026-11-09 2026-11-15
period | what have I been up to this week | 2026-11-16 2026-11-18
period | What did I note today | 2026-11-18 2026-11-18
period | what did I note yesterday? | 2026-11-17 2026-11-17
period | what happened the day before yesterday | 2026-11-16 2026-11-16
period | Summarise today | 2026-11-18 2026-11-18
period | summarize yesterday please | 2026-11-17 2026-11-17
period | recap this week | 2026-11-16 2026-11-18
period | recap of last month | 2026-10-01 2026-10-31
period | what did we talk about yesterday | 2026-11-17 2026-11-17
period | Show me 2026-01-15 | 2026-01-15 2026-01-15
period | what did I write on November 3rd? | 2026-11-03 2026-11-03
period | what's in my notes from Nov 10 | 2026-11-10 2026-11-10
period | what did I do on Monday | 2026-11-16 2026-11-16
period | What did i record three days ago? | 2026-11-15 2026-11-15
period | show me yesterday's notes | 2026-11-17 2026-11-17
period | list everything from the last 7 days | 2026-11-11 2026-11-18
period | what was I doing last month | 2026-10-01 2026-10-31
period | anything I noted last Friday? | 2026-11-13 2026-11-13
help | hello
help | Hi!
help | hey there
help | good morning
help | Good evening :)
help | yo
help | hiya 👋
help | hi, how are you?
help | hello commonplace
help | thanks
help | Thank you!
help | thx
help | ty 🙏
help | thank u so much
help | great, thanks!
help | help
help | what can you do?
help | who are you
help | how does this work?
help | Write a poem about the sea
help | translate this into French: good night
help | can you draft an email to Kim
help | explain monads to me
help | ok
help | 👍
help | bye
help | got it
statement | I'm pretty tired today
statement | We shipped the release this morning.
statement | I am allergic to penicillin.
statement | My sister moved to Leeds.
help | generate a regex for emails pls
optOut | don't remember this
optOut | Please do not save that
optOut | my pin is 9931, don't note that down
optOut | off the record: I may quit in May
optOut | don't keep this: Ann is pregnant
optOut | no need to write that down
optOut | This should not be saved
optOut | Never store this: card 4929
statement | meeting with Wang tomorrow at 3pm
statement | dentist tomorrow at 9:30
statement | Lunch with Kim tomorrow at noon
optOut | don't write this down please
optOut | this is off the record
optOut | you don't need to remember that
optOut | please don't store what I just told you
optOut | Don't note this one: I failed the exam
question | when is Nina's flight
question | did I ever mention a dentist?
question | what did I change in the contract
question | who deleted the backup?
question | where did I put the updated contract
statement | Flight to Oslo tomorrow at 7:40am
statement | I have an interview tomorrow at 2pm
statement | My sister lives in Porto.
help | good evening
help | translate this into French: good morning
help | Hi there! What can you do?
help | hello, what can you help me with?
help | Thanks, that's great!
help | Great, thank you! That was helpful.
question | I'm allergic to penicillin, and could you also tell me when the release is?
question | We moved the release to May. When is the party?
save | My locker is 212 in the cellar, keep it somewhere | My locker is 212 in the cellar
save | keep it somewhere: the spare key is with Ann | the spare key is with Ann
period | Summarise what I told you today | 2026-11-18 2026-11-18
`
