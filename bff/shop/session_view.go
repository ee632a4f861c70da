package shop

import "net/http"

// view is GET /checkout/{session}/view. It schedules a check.
func (s *sessionReads) view(w http.ResponseWriter, r *http.Request) error {
	session, err := s.sessions.find(r.Context(), r.PathValue("session"))
	if err != nil {
		return err
	}
	s.sessions.nudge(r, session)
	return s.pages.answerView(w, r, session)
}
