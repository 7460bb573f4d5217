/** The offline model's Korean. */
import { dayIn, weekdayIn } from './day-heading.ts'
import type { Sentences } from './sentences.ts'

export const korean: Sentences = {
  greeting:
    '안녕하세요! 말씀하신 것을 적어 두고 찾아 드립니다. “기억해: …”라고 하시면 적어 두고, 찾고 싶은 것은 그냥 물어보세요.',
  thanks: '천만에요.',
  assent: '알겠습니다.',
  heard:
    '아직 적어 두지 않았습니다. 언어 모델이 연결되어 있지 않아서 부탁하신 것만 적습니다. “기억해 줘, …”라고 하시면 바로 오늘 로그에 적겠습니다.',
  toldBeside: (statement) =>
    `함께 말씀하신 것(“${statement}”)은 적어 두지 않았습니다. “기억해 줘, …”라고 하시면 오늘 로그에 적겠습니다.`,
  help: '언어 모델이 연결되어 있지 않아서 두 가지만 할 수 있습니다. “기억해: …”라고 하시면 오늘 로그에 적고, 질문(누구, 무엇, 언제)을 하시면 기억을 검색해 출처와 함께 원문을 인용합니다. “지난주에 뭐 했지?”, “오늘 요약”, “파일 목록”도 됩니다. 제대로 된 대화를 하려면 설정에서 모델을 연결하세요.',
  nothingToRemember: '무엇을 기억할까요? “기억해: 회의는 목요일 3시”처럼 뒤에 적어 주세요.',
  remembered: (path) => `오늘 로그에 적어 두었습니다 [${path}].`,
  nothingIn: (span) => `${span}에는 적어 둔 것이 없습니다.`,
  periodHas: (span) => `${span}의 기록:`,
  more: (count) => `그 밖에 ${count}건이 더 있습니다.`,
  filesAre: '기억에 있는 파일입니다:',
  noFiles: '기억에 아직 파일이 없습니다.',
  needsModel:
    '그러려면 언어 모델이 필요한데 지금은 연결되어 있지 않습니다. 저는 적어 두고 메모를 인용하는 것만 할 수 있습니다. 입력란 아래에서 모델을 고르거나 설정에서 연결하세요.',
  clock: (isToday, day, time) =>
    isToday ? `${dayIn('ko', day)} ${time}입니다.` : `${day}은 ${weekdayIn('ko', day)}입니다.`,
  cannotChange: '적혀 있는 것을 지우거나 바꿀 수는 없습니다. 언어 모델이 연결되어 있지 않아서 덧붙여 적기만 합니다.',
  changeThere: '관련된 곳은 여기입니다. 열어서 그 줄을 직접 고치거나 지워 주세요:',
  changeLast: '이 대화에서 마지막으로 적은 것은 이것입니다. 열어서 그 줄을 직접 고치거나 지워 주세요:',
  changeInLog: (path) => `오늘 로그를 열어서 그 줄을 직접 고치거나 지워 주세요: [${path}].`,
  nothingToChange:
    '기억에서도 관련된 것을 찾지 못했습니다. 그 줄에 있는 말을 알려 주시거나 “기억” 화면에서 찾아 보세요.',
  notKept:
    '네, 이것은 적어 두지 않습니다. 이 대화에는 남아 있습니다. 지우려면 대화 목록에서 이 대화를, 또는 메시지를 삭제하세요.',
  counted: (notes, files) => `기억에는 기록이 ${notes}건 있고, 파일은 모두 ${files}개입니다:`,
  countedFiles: (files) => `기억에는 파일이 ${files}개 있습니다:`,
  digest:
    '요약하려면 언어 모델이 필요한데 지금은 연결되어 있지 않습니다. 적어 둔 것은 다음과 같습니다(최근 것이 마지막):',
  noNotes: '기억에 아직 적어 둔 것이 없습니다.',
  aboutYou: '당신과 당신이 정한 것에 대해 기억에는 이렇게 적혀 있습니다:',
  nothingAboutYou: '당신에 대해서는 아직 적힌 것이 없습니다. “기억해: …”라고 하시거나 [USER.md]에 적어 주세요.',
  found: '기억에는 이렇게 적혀 있습니다:',
  foundClosest: '꼭 맞는 내용은 없고, 가장 가까운 것은 이것입니다:',
  saidEarlier: '메모에는 없지만 이전 대화에서 이렇게 말씀하셨습니다:',
  whenWritten: '때는 본문에 적혀 있습니다:',
  whenNoted: (dates) => `본문에 날짜가 없습니다. 적은 날은 ${dates}입니다:`,
  notedOn: (date) => `${date}에 적음`,
  nothingFound: (query) =>
    `“${query}”에 대해 기억에서 찾은 것이 없습니다. 언어 모델이 연결되어 있지 않아서 적혀 있는 것만 인용할 수 있습니다.`,
  noModel: '*언어 모델이 연결되어 있지 않습니다. 위는 메모의 원문이며 제 대답이 아닙니다.*',
  toolFailed: (reason) => `잘되지 않았습니다: ${reason}`,
  withoutMemory:
    '이 대화는 기억 없이 진행됩니다. 메모를 찾아보지 않고, 나눈 말도 남기지 않습니다. 언어 모델이 없으면 기억에서만 답할 수 있으니, 다른 대화에서 물어보거나 이 대화를 남겨 주세요.',
  unwritable:
    '적어 두지 못했습니다. 보이지 않는 제어 문자(NUL)가 있어서 텍스트 파일에 쓸 수 없습니다. 메시지는 그대로 있습니다. 편집해서 그 문자를 지우고 다시 보내 주세요.',
  kept: '대화에서 남긴 내용',
  ending: (path) => `대화의 끝부분 (${path}).`,
  user: '사용자',
  assistant: '어시스턴트',
  summary: {
    goal: '목표',
    decisions: '결정',
    facts: '사실과 식별자',
    open: '남은 질문',
    files: '관련 파일',
    none: '없음',
    alsoSpokenOf: '그 밖에 언급한 것',
  },
}
