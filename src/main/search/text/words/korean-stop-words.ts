/**
 * Korean stop words and word endings. Written for questions about one's own notes and compared with the Korean list of
 * stopwords-iso 1.1.0 (MIT). That list has question words only without endings.
 */

/** Function and question words: searched for only if the query has no other words. */
export const koreanFunctionWords = `
은 는 이 가 을 를 의 에 와 과 도 로 으로 그 저 것 수 등 및 그리고 그런데 그래서 하지만 또 또는 무엇 무엇을 무엇이 무엇인가 무엇인가요 무엇이야 무엇이었지 뭐 뭐가 뭐를 뭘 뭐야 뭐였지 뭐였어 뭐지 뭐더라 뭐로 뭐라고 뭔가 뭔지
누구 누가 누구를 누구야 누구지 누구였지 누구랑 누구와 누구에게 누구한테 누구인가 언제 언제야 언제지 언제였지 언제부터 언제까지 언제쯤 언제인가 언제예요 어디 어디에 어디서 어디에서 어디로 어디야 어디지 어디였지 어디까지 어디예요
왜 어떻게 어떤 어느 어느것 얼마 얼마나 얼마야 얼마지 얼마였지 얼마예요 얼마에 몇 몇개 몇번 몇시 몇명 몇살 몇층 몇월 몇일 며칠 있어 있나 있지 있는 있었어 있었지 있다 없어 없나 없지 했어 했지 했나 했더라 하는 하다 하지 해 해야 해줘
나 내 내가 나는 나의 나를 너 네 네가 우리 우리가 저는 제가 제 게 걸 거 몇 남지 맡은 그가 그녀 그는 이거 그거 저거 이것 그것 저것 여기 거기 저기 이런 그런 저런 무슨 알려줘 알려 말해 말해줘 알아 기억나 기억 좀 더 안 못 다 잘
때 때문 때문에 대해 대해서 대한 관한 위해 위한 정도 아까 이제 지금 그때 되나 됐어 됐지 되는 되지 돼 인가 인가요 이야 이지 이었지 였지 건가 거야 거지 건지 할까 갔어 갔지 갔나 가는 간 가야 왔어
`

/** Words that are common in questions on any subject: they have a low weight, found or not. */
export const koreanFillerWords = `
이름 번호 종류 이유 방법 장소 날짜 시간 사람 문제 내용 결과 원인 계획 최근 지난번 지난달 지난주 이번 이번달 이번주 다음 다음달 다음주 오늘 어제 내일 작년 올해 내년 처음 마지막 제일 가장 좋아하는 좋아해 정했지 정했어
결정했어 결정했지 만들었어 만들어 샀어 샀지 산 먹었어 먹었지 봤어 봤지 생겨 생긴 넣어 쓰는 썼어 받았어 주는 줬어 몇몇 모두 전부
`

/** Particles, honorifics and verb endings; a word is also searched for without its ending. */
export const koreanEndings = `
이었습니까 이었는데요 이었더라 이었지요 이었어요 이라고는 이라는데 입니까 입니다 이에요 이었지 이었나 이었어 이라고 이라는 이라도 이랑은 에서부터 에서는 에서도 에서의 에게서 에게는 한테서 한테는 으로부터 으로는
으로도 으로서 으로써 까지는 까지의 부터는 부터의 이나마 조차도 마저도 님께서 님은 님이 님을 님의 님과 씨는 씨가 씨를 씨의 씨와 씨랑 씨에게 씨한테 예요 에요 이야 이지 이랑 이나 이며 이고 인지 인가 인데 이란 라고 라는 였지 였어 였나
에서 에게 에는 에도 에만 께서 한테 으로 까지 부터 처럼 보다 마다 조차 마저 밖에 대로 만큼 이라 야말로 하고 들은 들이 들을 들의 들과 님 씨 들 은 는 이 가 을 를 의 에 로 와 과 도 만 랑 야 지 나 요
`
