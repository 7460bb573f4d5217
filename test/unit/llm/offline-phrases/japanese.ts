/**
 * What Japanese speakers type to an agent that keeps notes, one line each: intent, message, and for what is to be saved
 * the note itself, for a span of days its first and last. `⏎` stands for a line break; the clock is Wednesday, 2026-11-18.
 */
export const japanese = `
save | 覚えて：Wi-Fiのパスワードはhunter22 | Wi-Fiのパスワードはhunter22
save | 覚えておいて、暗証番号は4711 | 暗証番号は4711
save | 覚えといて 駐車場はB2の37番 | 駐車場はB2の37番
save | 覚えてください：会議は木曜の15時 | 会議は木曜の15時
save | 覚えておいてください。母の誕生日は5月3日です。 | 母の誕生日は5月3日です
save | 私はペニシリンアレルギーだと覚えておいて | 私はペニシリンアレルギーだ
save | 私の靴のサイズは27って覚えといて | 私の靴のサイズは27
save | 会議が3時に変わったことを覚えておいて | 会議が3時に変わった
save | 大家さんの電話番号0312345678を覚えておいて | 大家さんの電話番号0312345678
save | 田中さんはナッツアレルギー、覚えておいてね | 田中さんはナッツアレルギー
save | メモ：日曜に本を返す | 日曜に本を返す
save | メモ 切手を買う | 切手を買う
save | メモして：発売日は1月12日 | 発売日は1月12日
save | メモしておいて、鍵は植木鉢の下 | 鍵は植木鉢の下
save | 水道メーター48213ってメモして | 水道メーター48213
save | 来週の火曜は健康診断とメモしといて | 来週の火曜は健康診断
save | 明日牛乳を買うのをメモしてください | 明日牛乳を買う
save | 歯医者は金曜10時、メモしておいてください | 歯医者は金曜10時
save | メモお願い 請求書番号2231 | 請求書番号2231
save | メモをお願いします：主治医は陳先生 | 主治医は陳先生
save | これメモしといて：サーバーのポートは8443 | サーバーのポートは8443
save | 記録して：今日5キロ走った | 今日5キロ走った
save | 記録しておいて、2.4.1をステージングにデプロイした | 2.4.1をステージングにデプロイした
save | PostgreSQLを選んだと記録しておいてください | PostgreSQLを選んだ
save | 書いておいて：青いフォルダは地下室 | 青いフォルダは地下室
save | 日記に書いて、サーバーを再起動した | サーバーを再起動した
save | 書き留めて：便名はNH10、14時20分着 | 便名はNH10、14時20分着
save | 保存して：住所は中央区1-2-3 | 住所は中央区1-2-3
save | ノートに追加：プリンターのトナー切れ | プリンターのトナー切れ
save | 忘れないで：家賃は25日 | 家賃は25日
save | 忘れないように、来月ドメインを更新 | 来月ドメインを更新
save | パクチーが嫌いなことを忘れないで | パクチーが嫌い
save | リマインド：明日お母さんに電話 | 明日お母さんに電話
save | 明日歯医者に電話するようリマインドして | 明日歯医者に電話する
save | コーヒーをやめたことを覚えておいてほしい | コーヒーをやめた
save | 火曜は在宅勤務だということを覚えておいてください | 火曜は在宅勤務だ
save | 予算は八万円、覚えて | 予算は八万円
save | 社員番号は7781です。覚えておいて。 | 社員番号は7781です
save | すみません、メモしてもらえますか？金曜はリリース禁止 | 金曜はリリース禁止
save | 覚えておいてもらえる？新人は佐藤さん | 新人は佐藤さん
save | 来週水曜停電するからメモしておいて | 来週水曜停電する
save | TODO：契約書を送る | 契約書を送る
save | やること：猫の予防接種 | 猫の予防接種
save | 備忘録：キムさんにスライドを送る | キムさんにスライドを送る
save | 覚え書き：契約は三年 | 契約は三年
save | おぼえておいて、うちは12階 | うちは12階
save | こんにちは、メモをお願いします。土曜は飲み会 | 土曜は飲み会
save | 覚えておいて🙏APIキーはvaultにある | APIキーはvaultにある
save | 以下を覚えておいて：⏎・甲はA社⏎・契約は三年 | ・甲はA社⏎・契約は三年
save | ｗｉｆｉはａｂｃ１２３って覚えといて！ | ｗｉｆｉはａｂｃ１２３
question | 覚えてる？
question | 前に話した店の名前、覚えてる？
question | 覚えてますか、私の靴のサイズ
question | どこに停めたか覚えてる
question | アンさんに会った時のこと覚えていますか
question | この前決めた案って何だっけ
question | Wi-Fiのパスワードは？
question | wifiのパスワード教えて
question | 暗証番号いくつだっけ
question | 会議はいつですか
question | 会議いつ？
question | パスポートの期限はいつまで
question | 母の誕生日っていつだったっけ
question | 車どこに停めた？
question | 鍵はどこ
question | 田中さんって誰
question | 誰がお金を借りてる？
question | キムさんに何を送るんだっけ
question | 予算はいくら
question | なぜGraphQLをやめたの
question | workerの再起動のやり方
question | どのデータベースを選んだ？
question | どのデータベースにしたんだっけ
question | 私は何のアレルギー？
question | 新人の名前は何ですか
question | 主治医の名前
question | 大家さんの電話番号
question | 青いフォルダ
question | 発売日って何日になった
question | 請求書番号を調べて
question | ドメインの期限を調べてください
question | リリースについてのメモを探して
question | パクチーで検索
question | サーバーのポート番号を教えてください
question | 社員番号が知りたい
question | 歯医者は何時からですか
question | 暗証番号を忘れた、何番？
question | どこに停めたか思い出せない
question | あの本を勧めたのは誰だったか思い出せません
question | 水道メーターの数字ってメモした？
question | パクチーが嫌いって言ったっけ
question | Viteにしたんだよね？
question | 田中さんはナッツ食べられる？
question | 先週大家さんと何の条件を話した？
question | 昨日の障害は結局どうなった
question | えっと、前にデプロイする前に必ずやるって言ってたあれって何だったっけ
question | プリンターのメモある？
question | 契約は何年？
question | うち何階だっけ
question | 金曜にリリースしていい？
question | すみません、家賃はいつ払うんですか
question | 飲み会は土曜？日曜？
question | 便名なんだっけ
question | スラックのハンドルは何
question | 私のSlackハンドルは何ですか
question | 在宅は何曜日？
question | 何をメモしたか教えて、猫のこと
question | どれくらい走ったっけ
question | APIキーはどこにありますか
question | メモした電話番号を見せて
period | 先週何をした？ | 2026-11-09 2026-11-15
period | 先週は何をしましたか | 2026-11-09 2026-11-15
period | 今週何してたっけ | 2026-11-16 2026-11-18
period | 11月10日に何をメモした？ | 2026-11-10 2026-11-10
period | 11月3日は何を書いた | 2026-11-03 2026-11-03
period | 昨日何をメモした？ | 2026-11-17 2026-11-17
period | 今日何を記録した？ | 2026-11-18 2026-11-18
period | おととい何があった | 2026-11-16 2026-11-16
period | 今日のまとめ | 2026-11-18 2026-11-18
period | 昨日をまとめて | 2026-11-17 2026-11-17
period | 先週を振り返って | 2026-11-09 2026-11-15
period | 先月は何してた？ | 2026-10-01 2026-10-31
period | ここ三日間何を話した？ | 2026-11-15 2026-11-18
period | 月曜日に何をしたか教えて | 2026-11-16 2026-11-16
period | 先週の金曜は何をメモした？ | 2026-11-13 2026-11-13
period | 昨日のメモを見せて | 2026-11-17 2026-11-17
period | 三日前に何を書いた？ | 2026-11-15 2026-11-15
period | 2026年1月15日の記録 | 2026-01-15 2026-01-15
greeting | こんにちは
greeting | おはよう
greeting | おはようございます！
greeting | こんばんは
greeting | やあ
greeting | はじめまして
greeting | こんにちは、元気？
greeting | ども〜
greeting | お疲れ様です
thanks | ありがとう
thanks | ありがとうございます！
thanks | どうもありがとう
thanks | サンキュー
thanks | 助かりました
thanks | ありがと🙏
thanks | 感謝します
thanks | あざす
command | ヘルプ
command | 何ができますか？
command | ファイル一覧
command | どんなファイルがある？
command | あなたは誰ですか
command | 使い方を教えて
command | メモの一覧を見せて
command | 使い方は？
other | 海についての詩を書いて
other | これを英語に翻訳して
other | キムさんへのメールを書いて
other | 冗談を言って
other | クロージャについて説明して
other | はい
other | 了解
other | わかりました
other | 笑
other | 👍
other | じゃあね
other | なるほど
other | オッケー
other | 今日は疲れた。
other | 私はペニシリンアレルギーです。
other | 予算は八万円に決まりました。
other | 今朝新しいバージョンをリリースしました。
save | メモっといて、会議は木曜 | 会議は木曜
save | 明日は燃えるゴミってメモっといて | 明日は燃えるゴミ
save | 鍵は植木鉢の下、覚えといて | 鍵は植木鉢の下
save | 電話番号は0312って書いといて | 電話番号は0312
save | 牛乳を買うってメモして | 牛乳を買う
save | 暗証番号は4711ってメモっておいて | 暗証番号は4711
save | 控えといて：会員番号はA-1203 | 会員番号はA-1203
save | 佐藤さんは猫アレルギーってメモしといて | 佐藤さんは猫アレルギー
save | 車検は五月、覚えといてね | 車検は五月
save | 駐車場は三階って書いといて | 駐車場は三階
clock | 今日は何日？
clock | 今何時ですか
clock | 今日は何曜日だっけ
clock | 明日は何曜日
clock | 今日の日付を教えて
clock | いま何時？
clock | 昨日は何日だった？
amend | さっきのメモを消して
amend | 会議の時間を四時に変更してください
amend | 電話番号のこと、忘れて
amend | パスポートの記録を削除してもらえますか
amend | 私の住所を更新して
amend | 予算のところを直してほしい
amend | 鍵の話は忘れてください
amend | 昨日書いたメモを取り消して
notThis | これは覚えないで
notThis | これはメモしなくていいよ
notThis | 記録しないでください
notThis | 覚えないで：カードの暗証番号は8842
notThis | オフレコだけど、来月辞めます
notThis | 今のは書かないで
notThis | この話は残さないでね
overview | メモは何件ある？
overview | ファイルはいくつありますか
overview | メモをまとめて
overview | 私について何を知ってる？
overview | 私のことを教えて
overview | 記憶には何が書いてありますか
overview | 何を覚えていますか
overview | 私のノートを要約してください
other | 明日の15時に歯医者
other | 明後日、田中さんと打ち合わせ
clock | 今何時？
clock | 今日って何曜日だっけ？
clock | 今日の日付は？
clock | 明日は何日ですか
clock | 今日は何月何日ですか
amend | 家賃のメモを削除して
amend | 誕生日のこと忘れてください
amend | 住所を中町3に変更して
amend | 最後のメモを消してくれる？
amend | 昨日の記録を取り消してください
amend | 電話番号を直しておいて
amend | パスワードの件は忘れて
notThis | これ書かないでね
notThis | 今のは記録しなくて大丈夫です
notThis | 来月引っ越すけど、これはメモしないで
notThis | 覚えなくていいよ
notThis | 保存しないでほしい
overview | メモはいくつある？
overview | 全部で何件メモがありますか
overview | メモの内容をまとめてください
overview | 私のこと何か知ってる？
overview | 私について知っていることを教えて
overview | ノートを要約して
overview | 記憶に何がある？
command | ファイル一覧を見せて
question | ニナの便はいつ？
question | 誰がファイルを消したの？
question | 前に変更したパスワードは何だっけ
question | 大家さんの電話番号は？
other | 明日10時に健康診断
other | 明後日の夜は鈴木さんと食事
other | 娘は今年小学生になりました。
thanks | ありがとね
other | 春についての詩を書いて
command | こんにちは！何ができますか？
thanks | ありがとう、すごいね！
question | ペニシリンアレルギーなんですが、リリースはいつですか？
question | 私は卵が苦手です。ところでリリースはいつ？
amend | さっきのは忘れて
amend | さっきのメモ消して
period | 今日話したことをまとめて | 2026-11-18 2026-11-18
`
