/**
 * What Korean speakers type to an agent that keeps notes, one line each: intent, message, and for what is to be saved the
 * note itself, for a span of days its first and last. `⏎` stands for a line break; the clock is Wednesday, 2026-11-18.
 */
export const korean = `
save | 기억해: 와이파이 비밀번호는 hunter22 | 와이파이 비밀번호는 hunter22
save | 기억해줘, 현관 비밀번호는 4711 | 현관 비밀번호는 4711
save | 기억해 줘 주차는 B2 37번 | 주차는 B2 37번
save | 기억해 주세요: 회의는 목요일 3시 | 회의는 목요일 3시
save | 기억해둬. 엄마 생신은 5월 3일이야. | 엄마 생신은 5월 3일이야
save | 나는 페니실린 알레르기가 있다고 기억해줘 | 나는 페니실린 알레르기가 있다
save | 내 신발 사이즈는 270이라고 기억해 줘 | 내 신발 사이즈는 270
save | 회의가 3시로 바뀌었다는 것을 기억해줘 | 회의가 3시로 바뀌었다
save | 집주인 전화번호 01012345678을 기억해 줘 | 집주인 전화번호 01012345678
save | 민수는 견과류 알레르기야, 기억해줘 | 민수는 견과류 알레르기야
save | 메모: 일요일에 책 반납 | 일요일에 책 반납
save | 메모 우표 사기 | 우표 사기
save | 메모해: 출시일은 1월 12일 | 출시일은 1월 12일
save | 메모해줘, 열쇠는 화분 밑에 있어 | 열쇠는 화분 밑에 있어
save | 수도 계량기 48213 메모해줘 | 수도 계량기 48213
save | 다음 주 화요일 건강검진이라고 메모해 줘 | 다음 주 화요일 건강검진
save | 내일 우유 사는 거 메모해 주세요 | 내일 우유 사는 거
save | 치과는 금요일 10시, 메모해 주세요 | 치과는 금요일 10시
save | 메모 부탁해 청구서 번호 2231 | 청구서 번호 2231
save | 메모 부탁드려요: 주치의는 김 선생님 | 주치의는 김 선생님
save | 이거 메모해: 서버 포트는 8443 | 서버 포트는 8443
save | 기록해: 오늘 5킬로 뛰었다 | 오늘 5킬로 뛰었다
save | 기록해줘, 2.4.1을 스테이징에 배포함 | 2.4.1을 스테이징에 배포함
save | PostgreSQL을 선택했다고 기록해 주세요 | PostgreSQL을 선택했다
save | 적어줘: 파란 폴더는 지하실에 있음 | 파란 폴더는 지하실에 있음
save | 적어 둬, 서버 재시작했음 | 서버 재시작했음
save | 적어놔 비행기는 KE701 14시 20분 도착 | 비행기는 KE701 14시 20분 도착
save | 저장해줘: 주소는 중앙로 88 | 주소는 중앙로 88
save | 노트에 추가해줘: 프린터 토너 없음 | 프린터 토너 없음
save | 잊지 마: 월세는 25일 | 월세는 25일
save | 잊지 말아줘, 다음 달에 도메인 갱신 | 다음 달에 도메인 갱신
save | 고수를 싫어한다는 거 잊지 마 | 고수를 싫어한다
save | 까먹지 마 금요일에 배포 금지 | 금요일에 배포 금지
save | 알림: 내일 엄마한테 전화 | 내일 엄마한테 전화
save | 내일 치과에 전화하라고 알려줘 | 내일 치과에 전화하라
save | 내일 회의 있다고 상기시켜 줘 | 내일 회의 있다
save | 커피 끊었다는 걸 기억해줬으면 해 | 커피 끊었다
save | 화요일은 재택근무라는 것을 기억해 주세요 | 화요일은 재택근무
save | 예산은 8만원, 기억해 | 예산은 8만원
save | 사번은 7781이에요. 기억해 주세요. | 사번은 7781이에요
save | 죄송한데 메모해 줄래요? 금요일은 배포 금지 | 금요일은 배포 금지
save | 기억해 줄 수 있어? 신입은 지은 씨 | 신입은 지은 씨
save | 다음 주 수요일에 정전이니까 메모해 둬 | 다음 주 수요일에 정전
save | 할 일: 계약서 보내기 | 계약서 보내기
save | TODO: 고양이 예방접종 | 고양이 예방접종
save | 명심해: 회의는 30분을 넘기지 않는다 | 회의는 30분을 넘기지 않는다
save | 안녕하세요, 메모 부탁드립니다. 토요일 회식 | 토요일 회식
save | 기억해줘🙏 API 키는 vault에 있어 | API 키는 vault에 있어
save | 다음 내용을 기억해줘:⏎- 갑은 A사⏎- 계약은 3년 | - 갑은 A사⏎- 계약은 3년
save | 와이파이는 abc123 기억해놔! | 와이파이는 abc123
save | 나 12층 산다 기억해 | 나 12층 산다
question | 기억나?
question | 기억나? 우리가 갔던 호텔 이름
question | 내 신발 사이즈 기억해?
question | 내가 어디 주차했는지 기억나
question | 앤 만났던 때 기억하고 있어?
question | 지난번에 정한 방안이 뭐였지
question | 와이파이 비밀번호는?
question | 와이파이 비밀번호 알려줘
question | 현관 비밀번호가 뭐였더라
question | 회의 언제예요
question | 회의 언제야?
question | 여권은 언제 만료돼
question | 엄마 생신이 언제였지
question | 차 어디 세웠지?
question | 열쇠 어디 있어
question | 민수가 누구야
question | 누가 나한테 돈을 빌렸지
question | 지민 씨한테 뭘 보내야 하지
question | 예산이 얼마야
question | 왜 GraphQL을 안 쓰기로 했지
question | 워커 재시작하는 방법
question | 어떤 데이터베이스를 선택했지?
question | 데이터베이스 뭘로 정했더라
question | 나는 무슨 알레르기가 있어?
question | 신입 이름이 뭐예요
question | 주치의 이름
question | 집주인 전화번호
question | 파란 폴더
question | 출시일 며칠로 바뀌었어
question | 청구서 번호 찾아줘
question | 도메인 만료일 확인해 주세요
question | 출시 관련 메모 찾아줘
question | 고수 검색해줘
question | 서버 포트 번호 좀 알려주세요
question | 사번이 궁금해
question | 치과 몇 시예요?
question | 현관 비밀번호 까먹었어, 뭐였지
question | 어디 주차했는지 기억이 안 나
question | 그 책 누가 추천했는지 모르겠어
question | 수도 계량기 숫자 메모했나?
question | 내가 고수 싫어한다고 말했나
question | 우리 Vite 쓰기로 했지?
question | 민수는 견과류 먹어도 돼?
question | 지난주에 집주인이랑 무슨 조건을 얘기했어?
question | 어제 장애는 결국 어떻게 됐어
question | 음 그러니까 전에 배포하기 전에 꼭 하자고 했던 그게 뭐였더라
question | 프린터 메모 있어?
question | 계약 몇 년이야
question | 우리 집 몇 층이더라
question | 금요일에 배포해도 되나요
question | 죄송한데 월세는 언제 내나요
question | 회식 토요일이야 일요일이야?
question | 비행기 편명이 뭐더라
question | 내 슬랙 핸들이 뭐야
question | 내 Slack 핸들이 뭐지
question | 재택은 무슨 요일?
question | 얼마나 뛰었지
question | API 키 어디 있나요
question | 메모한 전화번호 보여줘
question | 무슨 색 폴더였지
period | 지난주에 뭐 했지? | 2026-11-09 2026-11-15
period | 지난주에 내가 뭘 했어 | 2026-11-09 2026-11-15
period | 이번 주에 뭐 했지 | 2026-11-16 2026-11-18
period | 11월 10일에 뭐 메모했어? | 2026-11-10 2026-11-10
period | 11월 3일에 뭐라고 적었어 | 2026-11-03 2026-11-03
period | 어제 뭐 메모했지? | 2026-11-17 2026-11-17
period | 오늘 뭘 기록했어? | 2026-11-18 2026-11-18
period | 그저께 무슨 일이 있었지 | 2026-11-16 2026-11-16
period | 오늘 요약 | 2026-11-18 2026-11-18
period | 어제 정리해줘 | 2026-11-17 2026-11-17
period | 지난주 요약해 줘 | 2026-11-09 2026-11-15
period | 지난달에 뭐 했지? | 2026-10-01 2026-10-31
period | 최근 3일 동안 무슨 얘기 했어? | 2026-11-15 2026-11-18
period | 월요일에 뭐 했는지 알려줘 | 2026-11-16 2026-11-16
period | 지난주 금요일에 뭐 적었지? | 2026-11-13 2026-11-13
period | 어제 메모 보여줘 | 2026-11-17 2026-11-17
period | 3일 전에 뭐 썼어? | 2026-11-15 2026-11-15
period | 2026년 1월 15일 기록 | 2026-01-15 2026-01-15
greeting | 안녕
greeting | 안녕하세요!
greeting | 하이
greeting | 좋은 아침
greeting | 좋은 아침이에요
greeting | 안녕 잘 지냈어?
greeting | 반가워요
greeting | 여보세요
greeting | ㅎㅇ
thanks | 고마워
thanks | 감사합니다!
thanks | 고맙습니다
thanks | ㄱㅅ
thanks | 정말 고마워요
thanks | 땡큐
thanks | 감사해요🙏
thanks | 수고했어
command | 도움말
command | 뭐 할 수 있어?
command | 파일 목록
command | 어떤 파일이 있어?
command | 너 누구야
command | 사용법 알려줘
command | 메모 목록 보여줘
command | 어떻게 써?
other | 바다에 대한 시를 써줘
other | 이거 영어로 번역해줘
other | 지민 씨에게 보낼 메일 써줘
other | 농담 해줘
other | 클로저에 대해 설명해줘
other | 네
other | 알겠어
other | 알겠습니다
other | ㅋㅋㅋ
other | 👍
other | 잘 가
other | 그렇구나
other | 오케이
other | 오늘 좀 피곤하다.
other | 저는 페니실린 알레르기가 있어요.
other | 예산은 8만원으로 정했습니다.
other | 오늘 아침에 새 버전을 출시했어요.
clock | 지금 몇 시야?
clock | 오늘 며칠이야
clock | 오늘 무슨 요일이에요?
clock | 오늘 날짜 알려줘
clock | 내일 무슨 요일이지
clock | 현재 시간 알려 주세요
clock | 오늘이 며칠이더라
clock | 어제 무슨 요일이었지
amend | 방금 적은 메모 지워줘
amend | 현관 비밀번호 메모를 삭제해 주세요
amend | 회의 시간을 네 시로 바꿔줘
amend | 내 주소 수정해 줘
amend | 여권 얘기는 잊어줘
amend | 예산 부분을 고쳐 주세요
amend | 톰에 대한 건 잊어버려
amend | 전화번호를 0199로 변경해 줘
notThis | 이건 기억하지 마
notThis | 이건 저장하지 말아 줘
notThis | 메모하지 마세요
notThis | 기억하지 마: 카드 비밀번호는 8842
notThis | 방금 말한 건 적지 마
notThis | 기록 안 해도 돼
notThis | 이건 메모할 필요 없어
overview | 메모가 몇 개야?
overview | 파일이 몇 개 있어
overview | 내 메모 요약해 줘
overview | 나에 대해 뭘 알아?
overview | 나에 대해 알고 있는 것 알려줘
overview | 기억에 뭐가 적혀 있어?
overview | 메모 개수 알려줘
overview | 노트를 정리해 주세요
other | 내일 오후 3시에 왕 대표님과 회의
other | 모레 부산 출장
other | 내일 9시에 치과
clock | 지금 몇 시예요?
clock | 오늘 무슨 요일이지?
clock | 오늘 날짜가 어떻게 돼?
clock | 내일은 며칠이야?
clock | 현재 시각 알려줘
amend | 월세 메모 삭제해 줘
amend | 내 생일은 잊어 주세요
amend | 주소를 중앙로 5로 바꿔 주세요
amend | 마지막 메모 좀 지워 줄래?
amend | 어제 기록을 수정해 줘
amend | 전화번호 고쳐 줘
amend | 비밀번호 얘기는 잊어줘
notThis | 이건 적지 마
notThis | 방금 건 저장하지 마세요
notThis | 다음 달에 이사하는데 이건 메모하지 마
notThis | 기억 안 해도 돼요
notThis | 이 말은 기록하지 말아 주세요
overview | 메모 몇 개 있어?
overview | 내가 적은 메모가 총 몇 개야
overview | 메모 내용을 요약해 주세요
overview | 나에 대해 아는 거 있어?
overview | 나에 대해서 뭘 기억해?
overview | 내 노트 정리해 줘
overview | 기억에 뭐가 있어?
command | 파일 목록 보여줘
question | 니나 비행기가 언제야?
question | 누가 파일을 지웠어?
question | 전에 바꾼 비밀번호가 뭐였지
question | 집주인 전화번호가 뭐예요?
other | 내일 10시에 건강검진
other | 모레 저녁에 김 대리와 저녁 약속
other | 딸이 올해 초등학교에 들어갔어요.
thanks | 고마워용
other | 봄에 대한 시를 써 줘
command | 안녕하세요! 뭘 할 수 있어요?
thanks | 고마워, 정말 좋다!
question | 페니실린 알레르기가 있는데, 출시가 언제인지도 알려줄래?
other | 지난주 화요일에 민수랑 커피 마셨는데 회사를 그만둔대.
amend | 방금 건 잊어줘
amend | 아까 말한 거 지워줘
period | 오늘 내가 말한 거 요약해 줘 | 2026-11-18 2026-11-18
period | 오늘 너한테 말한 거 정리해줘 | 2026-11-18 2026-11-18
`
