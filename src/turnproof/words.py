"""Words and sentences that do not come from a rulebook, in the languages of the library's games."""

from __future__ import annotations

from collections.abc import Mapping

ENGLISH = "en"
_WORDS: Mapping[str, Mapping[str, str]] = {
    "active player": {"es": "jugador activo", "fr": "joueur actif", "zh": "當前玩家"},
    "other player": {"es": "otro jugador", "fr": "autre joueur", "zh": "另一玩家"},
    "active": {"es": "activo", "fr": "actif", "zh": "當前"},
    "other": {"es": "otro", "fr": "autre", "zh": "另一"},
    "next turn": {"es": "siguiente turno", "fr": "tour suivant", "zh": "下一回合"},
    "happens by itself": {"es": "ocurre por sí mismo", "fr": "se produit tout seul", "zh": "自動發生"},
    "allowed": {"es": "permitido", "fr": "permis", "zh": "允許"},
    "forbidden": {"es": "prohibido", "fr": "interdit", "zh": "禁止"},
    "no rule says": {"es": "ninguna regla lo dice", "fr": "aucune règle ne le dit", "zh": "規則未說明"},
    "rules contradict each other": {
        "es": "las reglas se contradicen", "fr": "les règles se contredisent", "zh": "規則互相矛盾",
    },
    "it depends": {"es": "depende", "fr": "cela dépend", "zh": "視情況而定"},
    "unlike elsewhere": {"es": "distinto de lo habitual", "fr": "autrement que d'habitude", "zh": "與通常不同"},
    "as a rule": {"es": "por lo general", "fr": "en général", "zh": "通常"},
    "no rule allows anything else": {
        "es": "ninguna regla permite otra cosa", "fr": "aucune règle ne permet autre chose", "zh": "其餘未獲規則允許",
    },
    "The turn": {"es": "El turno", "fr": "Le tour", "zh": "回合流程"},
    "Who may do what, and when": {
        "es": "Quién puede hacer qué, y cuándo", "fr": "Qui peut faire quoi, et quand", "zh": "誰何時可做什麼",
    },
    "Numbers to remember": {"es": "Números que recordar", "fr": "Nombres à retenir", "zh": "須記住的數字"},
    "step": {"es": "paso", "fr": "étape", "zh": "步驟"},
    "may be skipped": {"es": "puede saltarse", "fr": "peut être sautée", "zh": "可跳過"},
    "is skipped": {"es": "se salta", "fr": "est sautée", "zh": "跳過"},
    "if": {"es": "si", "fr": "si", "zh": "若"},
    "ends at once": {"es": "termina enseguida", "fr": "se termine aussitôt", "zh": "立即結束"},
    "removed": {"es": "retirado", "fr": "retirée", "zh": "離場"},
    "what happens": {"es": "lo que ocurre", "fr": "ce qui se passe", "zh": "發生的事"},
    "the game": {"es": "la partida", "fr": "la partie", "zh": "遊戲"},
    "rules": {"es": "reglas", "fr": "règles", "zh": "規則"},
    "as the game begins": {"es": "al empezar la partida", "fr": "au début de la partie", "zh": "遊戲開始時"},
    "changed": {"es": "cambiado", "fr": "modifié", "zh": "已更改"},
    "before": {"es": "antes", "fr": "avant", "zh": "之前"},
    "in play": {"es": "en juego", "fr": "en jeu", "zh": "在場"},
    "on the stack": {"es": "en la pila", "fr": "sur la pile", "zh": "在堆疊上"},
    "yes": {"es": "sí", "fr": "oui", "zh": "是"},
    "no": {"es": "no", "fr": "non", "zh": "否"},
    "Player {number}": {"es": "Jugador {number}", "fr": "Joueur {number}", "zh": "玩家{number}"},
    "Somebody": {"es": "Alguien", "fr": "Quelqu'un", "zh": "某人"},
    "{piece} {number} of {player}": {
        "es": "{piece} {number} del {player}", "fr": "{piece} {number} du {player}", "zh": "{player}的{piece} {number}",
    },
    "{what} of {player}": {"es": "{what} del {player}", "fr": "{what} du {player}", "zh": "{player}的{what}"},
    "start of {step}": {"es": "comienzo de {step}", "fr": "début de {step}", "zh": "{step}開始時"},
    "end of {step}": {"es": "final de {step}", "fr": "fin de {step}", "zh": "{step}結束時"},
    "turn {turn} of {player} begins: {step}": {
        "es": "empieza el turno {turn}, del {player}: {step}", "fr": "le tour {turn}, du {player}, commence : {step}",
        "zh": "第{turn}回合（{player}）開始：{step}",
    },
    "{steps} passed over": {"es": "se salta {steps}", "fr": "on passe {steps}", "zh": "略過{steps}"},
    "{step} ends, {then}": {
        "es": "termina {step}, {then}", "fr": "{step} se termine, {then}", "zh": "{step}結束，{then}",
    },
    "{step} begins": {"es": "empieza {step}", "fr": "{step} commence", "zh": "{step}開始"},
    "{step} ends, and so does the game": {
        "es": "termina {step}, y también la partida", "fr": "{step} se termine, et la partie aussi",
        "zh": "{step}結束，遊戲也隨之結束",
    },
    "{player} passes": {"es": "{player} pasa", "fr": "{player} passe", "zh": "{player}讓過"},
    "{what} of {player} resolves": {
        "es": "se resuelve {what} del {player}", "fr": "{what} du {player} se résout", "zh": "{player}的{what}結算",
    },
    "{what} of {player} is triggered": {
        "es": "se dispara {what} del {player}", "fr": "{what} du {player} se déclenche", "zh": "{player}的{what}觸發",
    },
    "{what} of {player} goes on the stack": {
        "es": "{what} del {player} va a la pila", "fr": "{what} du {player} va sur la pile",
        "zh": "{player}的{what}進入堆疊",
    },
    "an effect comes about: {what} ({player})": {
        "es": "se produce un efecto: {what} ({player})", "fr": "un effet se produit : {what} ({player})",
        "zh": "產生效果：{what}（{player}）",
    },
    "it comes of what has just been done": {
        "es": "resulta de lo que se acaba de hacer", "fr": "cela vient de ce qui vient d'être fait",
        "zh": "由剛才所做的事產生",
    },
    "no rule says who may; it is possible as silence = possible": {
        "es": "ninguna regla dice quién puede; es posible por silence = possible",
        "fr": "aucune règle ne dit qui le peut ; c'est possible, car silence = possible",
        "zh": "規則未說明誰可以；因 silence = possible 而可行",
    },
    "since happening {number}": {
        "es": "desde el suceso {number}", "fr": "depuis l'événement {number}", "zh": "自第{number}項起",
    },
}  # fmt: skip


def word(text: str, language: str, **parts: object) -> str:
    """A word or sentence in a language, with what stands for its `{parts}`; in English, if it is not known in that."""
    said = text if language == ENGLISH else _WORDS.get(text, {}).get(language, text)
    return said.format(**parts) if parts else said


def known() -> Mapping[str, Mapping[str, str]]:
    """All words, with what they are in other languages."""
    return _WORDS
