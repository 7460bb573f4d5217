/**
 * Questions and answers in other words that any model of a language brings together, and that share next to no words. They
 * tell a model that does not read a language from a memory whose notes have nothing to do with each other (M17).
 */
import type { Script } from '#shared/contract/index.ts'

type Pairs = readonly (readonly [question: string, answer: string])[]

const latin: Pairs = [
  [
    'What does the doctor say about my heart?',
    'Cardiology appointment: blood pressure slightly raised, nothing serious.',
  ],
  ['Where will we go on holiday?', 'Flights to Lisbon are booked for the first week of August.'],
  ['How do I get into the house without a key?', 'A spare latchkey lies under the third flower pot by the porch.'],
  ['Who repairs the car?', 'Garage Miller changed the brake pads and the oil.'],
  ['What pet do the neighbours have?', 'Their golden retriever barks whenever the postman comes.'],
  ['Which meal did everyone like?', 'The mushroom risotto on Sunday was praised by all guests.'],
  ['How much money do we have left?', 'The account stands at 4,200 euros after rent.'],
  ['When did the baby arrive?', 'Little Emma was born on a rainy Tuesday in March.'],
  ['What sport does she do?', 'Anna plays tennis twice a week and runs in the park.'],
  ['Which book should I read next?', 'Everybody in the club recommends that novel about the lighthouse.'],
  ['How is the weather over there?', 'It has been snowing in the mountains for three days.'],
  ['What is our database?', 'We store everything in PostgreSQL 16.'],
  ['Who is in charge of the project?', 'Leadership of the migration went to Priya.'],
  ['Why was the train late?', 'A fallen tree blocked the tracks near Hanover.'],
  ['Which instrument is he learning?', 'Tom practises scales on the cello every evening.'],
  ['What must I not eat?', 'Allergic to peanuts and shellfish.'],
  ['What is the password policy?', 'Secrets are rotated every ninety days and never sent by mail.'],
  ['How do I save energy at home?', 'Insulating the attic cut the heating bill by a third.'],
  ['Where do the children study?', 'Both attend the primary school on Oak Street.'],
  ['What present would please her?', 'She has been longing for a set of watercolours.'],
  ['Which job does my uncle have?', 'Robert works as a carpenter in a small workshop.'],
  ['What went wrong last night?', 'The server crashed at 2 a.m. because the disk was full.'],
  ['How can I sleep better?', 'No screens after ten, a cool bedroom, chamomile tea.'],
  ['What colour are the walls?', 'We painted the living room in pale green.'],
]

const cjk: Pairs = [
  ['我不能吃什么？', '对花生和虾过敏，点菜要小心。'],
  ['假期去哪里玩？', '八月第一周飞里斯本的机票已经订好。'],
  ['谁来修汽车？', '老王的车行换了刹车片和机油。'],
  ['孩子在哪儿上学？', '两个小家伙都在橡树街小学念书。'],
  ['家里还剩多少钱？', '交完房租以后账户余额四千二百元。'],
  ['医生怎么说我的心脏？', '心内科复查：血压略高，没有大碍。'],
  ['昨晚出了什么问题？', '凌晨两点服务器因为磁盘写满而宕机。'],
  ['她喜欢什么运动？', '小安每周打两次网球，还在公园跑步。'],
  ['墙是什么颜色？', '客厅刷成了浅绿。'],
  ['叔叔做什么工作？', '志强在一间小作坊当木匠。'],
  ['休暇はどこへ行きますか', '八月の第一週にリスボン行きの航空券を取った。'],
  ['食べてはいけないものは？', 'ピーナッツと甲殻類にアレルギーがある。'],
  ['車の修理は誰に頼む？', 'ブレーキパッドは田中モータースで交換した。'],
  ['彼は何の楽器を習っている？', '太郎は毎晩チェロの音階を練習している。'],
  ['電車はなぜ遅れた？', '倒木が線路をふさいでいた。'],
  ['よく眠るにはどうすればいい？', '十時以降は画面を見ず、寝室を涼しくして、カモミールティーを飲む。'],
  ['隣の家のペットは？', '郵便屋が来るたびにゴールデンレトリバーが吠える。'],
  ['휴가는 어디로 가?', '팔월 첫째 주 리스본행 항공권을 예약했다.'],
  ['내가 먹으면 안 되는 음식은?', '땅콩과 갑각류 알레르기가 있다.'],
  ['자동차는 누가 고쳐?', '브레이크 패드는 김 씨 정비소에서 갈았다.'],
  ['어젯밤에 뭐가 잘못됐어?', '새벽 두 시에 디스크가 가득 차서 서버가 멈췄다.'],
  ['아이들은 어느 학교에 다녀?', '둘 다 참나무길 초등학생이다.'],
  ['그녀에게 무슨 선물이 좋을까?', '수채화 물감 세트를 오래전부터 갖고 싶어 했다.'],
  ['벽은 무슨 색이야?', '거실을 연한 초록으로 칠했다.'],
]

/** Empty where the script is no language's in particular. */
export const languagePairs: Readonly<Record<Script, Pairs>> = { latin, cjk, other: [] }
