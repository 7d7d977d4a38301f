import type { OperationType } from '../../contract/operation.ts';
import { nameParts, type Inference } from './inference.ts';
import { firstSentence } from '../search/tool-text.ts';
import { verbOperation } from './verbs.ts';

/**
 * Evidence in languages other than English. Few and clear words: a tool without any of them counts as write, because nothing says that it
 * only reads.
 */
const DESTRUCTIVE = signs(
  '删除 移除 清空 清除 卸载 终止 撤销 取消 重置 覆盖 注销 刪除 削除 消去 初期化 取り消 キャンセル 삭제 제거 취소 초기화 удалить удаляет удаление удали очист отменить отменяет стереть حذف إلغاء हटा',
  `eliminar elimina borrar borra suprimir suprime supprimer supprime effacer annuler annule löschen löscht lösche loeschen loescht entfernen
  entfernt überschreiben überschreibt zurücksetzen apagar apaga excluir exclui cancellare cancella eliminare rimuovere rimuove rimuovi
  verwijderen verwijdert verwijder usuń usuwa usunąć smazat odstranit radera slett slette poista sil iptal hapus menghapus xóa`,
);
const WRITE = signs(
  '创建 新建 添加 更新 修改 发送 设置 上传 执行 运行 发布 编辑 保存 写入 安装 部署 創建 新增 作成 追加 送信 設定 変更 実行 생성 추가 수정 전송 설정 실행 создать создает создаёт добавить добавляет изменить изменяет отправить отправляет обновить обновляет запустить إنشاء إرسال',
  `crear crea añadir añade agregar agrega actualizar actualiza modificar enviar envía ejecutar ejecuta créer crée ajouter ajoute modifier modifie
  envoyer envoie exécuter exécute erstellen erstellt erstelle hinzufügen ändern ändert aktualisieren aktualisiert senden sendet ausführen
  führt criar cria adicionar adiciona atualizar atualiza envia executar executa creare aggiungere aggiungi aggiorna aggiornare inviare invia
  esegue eseguire maken maakt toevoegen bijwerken versturen utwórz dodaj zmień wyślij`,
);
const READ = signs(
  '获取 查询 搜索 列出 查看 读取 检索 显示 返回 查找 统计 獲取 查詢 取得 検索 一覧 表示 参照 조회 검색 목록 가져 получить получает найти поиск показать показывает список',
  `obtener obtiene buscar busca listar lista consultar consulta mostrar muestra obtenir obtient récupérer récupère rechercher recherche
  afficher affiche liste holen holt suchen sucht zeigen zeigt listet auflisten abrufen ruft obter obtém pesquisar pesquisa ottenere ottiene
  cercare cerca mostra mostrare elenca ophalen haalt zoeken zoekt toont pobierz wyszukaj`,
);
/** A reading verb counts only among the first words of the sentence. */
const OPENING = 3;
const MAX_OPENING = 30;

/** Scripts written without spaces or with endings match inside a word, words of the Latin script only as a whole. */
function signs(parts: string, whole: string): RegExp {
  const inside = parts.split(' ').join('|');
  const words = whole.trim().split(/\s+/).join('|');
  return new RegExp(`${inside}|(?<!\\p{L})(?:${words})(?!\\p{L})`, 'iu');
}

/** Infers from name and first sentence. If the name has an English verb, only destructive words count. */
export function fromOtherLanguage(name: string, description: string): Inference | undefined {
  const sentence = firstSentence(description);
  const named = nameParts(name).some((part) => verbOperation(part) !== undefined);
  const words = `${nameParts(name).join(' ')} ${sentence}`;
  const destructive = DESTRUCTIVE.exec(words)?.[0];
  if (destructive !== undefined) return says(named ? 'write' : 'destructive', destructive);
  if (named) return undefined;
  const write = WRITE.exec(words)?.[0];
  if (write !== undefined) return says('write', write);
  const read = READ.exec(sentence.split(/\s+/).slice(0, OPENING).join(' ').slice(0, MAX_OPENING))?.[0];
  return read === undefined ? undefined : says('read', read);
}

function says(operation: OperationType, word: string): Inference {
  return { operation, reason: `it says "${word}"` };
}
